import type { Kube } from '../../kube/client.ts';
import { isObjectName } from '../../kube/paths.ts';
import { CALLED_KINDS, type CalledKind } from '../called-kinds.ts';
import { namespaceOption } from '../command-line.ts';

type OpenKube = Pick<Kube, 'request' | 'close'>;

/** Names that arrive later are not suggested, because the user waits for the shell. */
const PATIENCE_MS = 3_000;

/** The names of objects of the kind on the line; none when the API server does not list them. */
export async function namesFor(words: readonly string[], open: () => Promise<OpenKube>): Promise<readonly string[]> {
  const kind = words.slice(1, -1).find((word): word is CalledKind => Object.hasOwn(CALLED_KINDS, word));
  if (kind === undefined || words.at(-1)?.startsWith('-') === true) return [];
  const names: string[] = [];
  let kube: OpenKube | undefined;
  try {
    // Without a name to complete, the client's modules are not loaded: they take most of the time that the shell waits.
    kube = await open();
    const { listed } = await import('../listed.ts');
    const signal = AbortSignal.timeout(PATIENCE_MS);
    // Shells expand suggestions, so only valid names are suggested.
    for await (const { name } of listed(kube, CALLED_KINDS[kind], namespaceIn(words), { signal }))
      if (isObjectName(name)) names.push(name);
  } catch {
    // A completion cannot show an error.
  } finally {
    await kube?.close();
  }
  return names;
}

function namespaceIn(words: readonly string[]): string {
  const option = namespaceOption();
  const { short, long } = option;
  const at = words.findLastIndex((word) => word === short || word === long);
  const joined = words.findLast((word) => word.startsWith(`${long}=`));
  return joined?.slice(`${long}=`.length) ?? (at === -1 ? undefined : words[at + 1]) ?? (option.defaultValue as string);
}
