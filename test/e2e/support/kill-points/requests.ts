import type { Written } from './walk.ts';

/** How often a server was told to do something that erases it, writes to it or interrupts it, or was switched off. */
export type Requests = Readonly<Record<string, number>>;

/** Targets of nodes that disturb nothing. */
const HARMLESS = ['manage', 'abort'];
/** States of the fixture's machines between two others: the fixture was told to do it. */
const PASSAGES: Readonly<Record<string, string>> = {
  cleaning: 'provide',
  'clean wait': 'clean',
  'inspect wait': 'inspect',
  adopting: 'adopt',
  'wait call-back': 'active',
  deleting: 'deleted',
};

/** What the servers accepted: Ironic, or the API server for the machines of the fixture. */
export function requestsIn(written: readonly Written[]): Requests {
  const accepted = written.filter(({ status }) => status < 300);
  const seen = new Set<string>();
  const counts: Record<string, number> = {};
  for (const write of accepted) {
    const told = toldNode(write) ?? toldFixture(write, seen);
    if (told !== undefined) counts[told] = (counts[told] ?? 0) + 1;
  }
  const off = timesToldOff(accepted) + timesSwitchedOff(accepted);
  return off === 0 ? counts : { ...counts, off };
}

/** Of a node of Ironic. */
const timesToldOff = (accepted: readonly Written[]): number =>
  accepted.filter(
    ({ path, body }) =>
      path.endsWith('/states/power') && (body as { readonly target: string }).target.endsWith('power off'),
  ).length;

/** Of a machine of the fixture. */
function timesSwitchedOff(accepted: readonly Written[]): number {
  const powers = accepted.flatMap(({ path, body }) => {
    const { power } = path.includes('/configmaps/') ? dataOf(body) : {};
    return power === 'on' || power === 'off' ? [power] : [];
  });
  return powers.filter((power, at) => power === 'off' && powers[at - 1] !== 'off').length;
}

const dataOf = (body: unknown): Readonly<Record<string, string | null>> =>
  (body as { readonly data: Readonly<Record<string, string | null>> }).data;

function toldNode({ path, body }: Written): string | undefined {
  if (!path.endsWith('/states/provision')) return undefined;
  const { target } = body as { readonly target: string };
  return HARMLESS.includes(target) ? undefined : target;
}

/** Each write has the whole record of the machine: the same state since the same time is counted once. */
function toldFixture({ path, body }: Written, seen: Set<string>): string | undefined {
  if (!path.includes('/configmaps/')) return undefined;
  const { state, since, nextState } = dataOf(body);
  const told = PASSAGES[state ?? ''];
  if (told === undefined || seen.has(`${state} ${since}`)) return undefined;
  seen.add(`${state} ${since}`);
  return told === 'deleted' && nextState === 'enroll' ? undefined : told;
}
