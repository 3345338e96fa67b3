import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string): Promise<string> => readFile(join(import.meta.dirname, file), 'utf8');

/** The names that a file imports from `proxies.ts`. */
const proxiesIn = (code: string): readonly string[] =>
  [...code.matchAll(/import \{([^}]*)\} from '[^']*\/proxies\.ts'/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  );

/** A run is not continued as new before the handlers of its messages have ended. */
test('every activity that the handler of a message waits for has a time limit', async () => {
  const declarations = (await read('proxies.ts')).split(/^export const /m);
  const limited = declarations
    .filter((declaration) => declaration.includes('scheduleToCloseTimeout'))
    .map((declaration) => /^\w+/.exec(declaration)?.[0]);
  const files = (await readdir(join(import.meta.dirname, 'actions'))).map((name) => join('actions', name));
  const handling = (await Promise.all(files.map(read))).filter((code) => code.includes('checked-messages.ts'));
  const used = handling.flatMap(proxiesIn);
  expect(used).toContain('answering');
  expect(used.filter((name) => !limited.includes(name))).toEqual([]);
});
