import { join } from 'node:path';
import { inject } from 'vitest';
import type { IronicEndpoints } from '../../../../lab/ironic/ironic-lab.ts';
import type { FixtureEndpoints, Lab } from '../../../../lab/lab.ts';
import type { LabMachine } from '../../../../lab/machines/machine.ts';
import { credentialsIn } from '../../../../lab/rights.ts';
import { openSession } from '../../../../lab/supervisor/session.ts';
import type { SharedLab } from '../../setup/share.ts';
import type { TestFixtureLab } from '../fixture.ts';
import { type TestLab, withKube } from '../lab.ts';
import { NAMESPACE } from './namespace.ts';
import { SHARING } from './quick-fixture.ts';
import { makePlace, startTemper, type TemperSettings } from './start-temper.ts';
import { takeMachines } from './take-machines.ts';

/**
 * The parts of a shared lab for one test file: namespaces, machines, and a bridge, workers and a recording proxy of its
 * own.
 */

export type FixturePlace = Partial<Omit<TemperSettings, 'credentials'>>;

export interface Place extends FixturePlace {
  /** Number of machines for this file, or their names. */
  readonly machines: number | readonly string[];
}

export async function joinFixtureLab(place: FixturePlace = {}): Promise<TestFixtureLab> {
  const shared = sharedLab();
  return withKube(await joinShared(shared, place, [], shared.endpoints));
}

export async function joinLab(place: Place): Promise<TestLab> {
  const shared = sharedLab();
  const { endpoints } = shared;
  if (!hasIronic(endpoints)) throw new Error('the lab of this project has no Ironic');
  return withKube(await joinShared(shared, place, takeMachines(shared, place.machines), endpoints));
}

/**
 * A namespace of the fixture lab for a file that needs no settings of its own, and ends neither bridge nor workers: it
 * shares those of the lab with other files.
 */
export async function shareFixtureLab(): Promise<TestFixtureLab> {
  if (!SHARING.includes(NAMESPACE)) throw new Error(`the bridge of the shared lab does not watch ${NAMESPACE}`);
  const { dir, endpoints } = sharedLab();
  const kubeconfig = await makePlace(join(dir, 'places', NAMESPACE), endpoints.kubeconfig, [NAMESPACE]);
  const refuse = (): never => {
    throw new Error('other files use this bridge and these workers, too');
  };
  return withKube({
    dir,
    endpoints: { ...endpoints, kubeconfig },
    machines: [],
    movedPorts: {},
    services: () => [],
    pidOf: () => undefined,
    logOf: refuse,
    kill: refuse,
    start: refuse,
    stop: () => Promise.resolve(),
  });
}

function sharedLab(): SharedLab {
  const shared = inject('sharedLab');
  if (shared === undefined) throw new Error('the project of this file shares no lab: see vitest.config.ts');
  return shared;
}

const hasIronic = (endpoints: SharedLab['endpoints']): endpoints is FixtureEndpoints & IronicEndpoints =>
  endpoints.ironicDirect !== undefined;

async function joinShared<E extends SharedLab['endpoints']>(
  { dir }: SharedLab,
  { temperEnv = {}, envOf = {}, namespaces = [NAMESPACE], skipsAdmission = false }: FixturePlace,
  machines: readonly LabMachine[],
  endpoints: E,
): Promise<Lab<E>> {
  const session = await openSession({ dir: join(dir, 'places', NAMESPACE) });
  try {
    const joined = await startTemper(
      session,
      { temperEnv, envOf, namespaces, skipsAdmission, credentials: credentialsIn(dir) },
      endpoints,
    );
    const { supervisor } = session;
    return {
      dir,
      endpoints: joined,
      machines,
      movedPorts: {},
      services: () => supervisor.names(),
      pidOf: (name) => supervisor.pidOf(name),
      logOf: (name) => supervisor.logOf(name),
      kill: (name, signal) => supervisor.kill(name, signal),
      start: (name) => supervisor.startAgain(name),
      stop: () => session.close(),
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}
