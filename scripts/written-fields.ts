import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = 'activities,domain,workflows,workers,k8s-bridge,kube,platform,cli';

/** A place in production code that writes finalizers or a `consumerRef`. */
export interface WrittenField {
  readonly file: string;
  /** The function around it. */
  readonly name: string;
  readonly line: string;
  /** The function names a `resourceVersion`. */
  readonly namesVersion: boolean;
}

/** The field with a value in an object, but not in a type, a schema, or where an object is taken apart. */
const WITH_VALUE =
  /(?<!readonly )\b(?:finalizers|consumerRef): (?!readonly |z\.|(?:maybe\()?objectReference\b|_\b|\{ \w+[,:] )/;
const SHORT = /[{,] (?:finalizers|consumerRef)(?:, \w+)* \}(?! =|(?: \})*:|\) =>)|^\s*(?:finalizers|consumerRef),$/;
const BY_NAME = /\['(?:finalizers|consumerRef)'\](?::| =)/;
const WRITTEN = [WITH_VALUE, SHORT, BY_NAME];
const COMMENT = /^\s*(?:\*|\/[/*])/;
const OPENING = /(?:=>|\)(?:: .*)?) (?:\{|\(\{)$/;
const BLOCK = /^\s*(?:\} )?(?:if|for|while|switch|else|try|catch)\b/;
const NAMED = /(?:function|const|async) (?!function)(\w+)/;

const indentOf = (line: string): number => line.search(/\S/);

/** The lines of the function around a line; the formatter indents what is in a function. */
function functionAround(lines: readonly string[], at: number): { readonly name: string; readonly body: string } {
  let [first, indent] = [at, indentOf(lines[at] ?? '')];
  for (let each = at - 1; each >= 0; each--) {
    const line = lines[each] ?? '';
    if (line === '' || indentOf(line) >= indent) continue;
    [first, indent] = [each, indentOf(line)];
    if (OPENING.test(line) && !BLOCK.test(line)) break;
  }
  const after = lines.findIndex((line, each) => each > at && line !== '' && indentOf(line) <= indent);
  const body = lines.slice(first, after === -1 ? undefined : after).join('\n');
  const heads = lines.slice(0, first + 1).filter((line) => line !== '' && indentOf(line) <= indent);
  const [, name = ''] = NAMED.exec(heads.findLast((line) => NAMED.test(line)) ?? '') ?? [];
  return { name, body };
}

export const writtenFields = (): readonly WrittenField[] =>
  globSync(`{${FOLDERS}}/**/*.ts`, { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .flatMap((file) => {
      const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
      return lines.flatMap((line, at) => {
        if (COMMENT.test(line) || !WRITTEN.some((pattern) => pattern.test(line))) return [];
        const { name, body } = functionAround(lines, at);
        return [{ file, name, line: line.trim(), namesVersion: /\bresourceVersion\b/.test(body) }];
      });
    });
