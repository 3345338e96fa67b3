import type { Kube } from '../../kube/client.ts';
import { type FollowedKind, MACHINE_API_MACHINES } from '../../kube/kinds.ts';
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
  let kube: OpenKube | undefined;
  try {
    // Without a name to complete, the client's modules are not loaded: they take most of the time that the shell waits.
    kube = await open();
    const { listed } = await import('../listed.ts');
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const names = new Set<string>();
    const addNamesOf = async (each: FollowedKind, from: OpenKube): Promise<void> => {
      // Shells expand suggestions, so only valid names are suggested.
      for await (const { name } of listed(from, each, namespaceIn(words), { signal }))
        if (isObjectName(name)) names.add(name);
    };
    // The API server may not know all of these kinds.
    for (const each of kindsCalled(kind)) await addNamesOf(each, kube).catch(() => undefined);
    return [...names];
  } catch {
    // A completion cannot show an error.
    return [];
  } finally {
    await kube?.close();
  }
}

const kindsCalled = (kind: CalledKind): readonly FollowedKind[] => [
  CALLED_KINDS[kind],
  ...(kind === 'machine' ? MACHINE_API_MACHINES : []),
];

function namespaceIn(words: readonly string[]): string {
  const option = namespaceOption();
  const { short, long } = option;
  const at = words.findLastIndex((word) => word === short || word === long);
  const joined = words.findLast((word) => word.startsWith(`${long}=`));
  return joined?.slice(`${long}=`.length) ?? (at === -1 ? undefined : words[at + 1]) ?? (option.defaultValue as string);
}
