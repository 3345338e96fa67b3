import proto from '@temporalio/proto';
import { describe, expect, test } from 'vitest';
import { othersDraining, standingOf } from './standing.ts';

const { WorkerDeploymentVersionStatus } = proto.temporal.api.enums.v1;
const OURS = { deploymentName: 'temper', buildId: 'new' };
const THEIRS = { deploymentName: 'temper', buildId: 'old' };

type State = 'INACTIVE' | 'CURRENT' | 'RAMPING' | 'DRAINING' | 'DRAINED';

const deployment = (
  states: Readonly<Record<string, State>>,
  { wasChanged = true } = {},
): Parameters<typeof standingOf>[0] => {
  const [current] = Object.keys(states).filter((buildId) => states[buildId] === 'CURRENT');
  return {
    versionSummaries: Object.entries(states).map(([buildId, state]) => ({
      deploymentVersion: { deploymentName: 'temper', buildId },
      status: WorkerDeploymentVersionStatus[`WORKER_DEPLOYMENT_VERSION_STATUS_${state}`],
    })),
    routingConfig: {
      currentDeploymentVersion: current === undefined ? null : { deploymentName: 'temper', buildId: current },
      currentVersionChangedTime: wasChanged ? {} : null,
    },
  };
};

describe('a version of the workers', () => {
  test('whose workers Temporal has not noticed is unknown', () => {
    expect(standingOf(deployment({ old: 'CURRENT' }), OURS)).toEqual({ kind: 'unknown' });
  });

  test('is the first where none ever was current', () => {
    expect(standingOf(deployment({ new: 'INACTIVE' }, { wasChanged: false }), OURS)).toEqual({ kind: 'first' });
  });

  test('is not the first where a person gave the tasks back to workers without a version', () => {
    expect(standingOf(deployment({ new: 'DRAINED', old: 'DRAINED' }), OURS)).toEqual({
      kind: 'idle',
      current: 'none, the workers without a version have the tasks',
    });
  });

  test.each(['CURRENT', 'RAMPING'] as const)('works while it is %s', (state) => {
    expect(standingOf(deployment({ new: state }), OURS)).toEqual({ kind: 'current' });
  });

  test('finishes its operations after another one became current', () => {
    expect(standingOf(deployment({ new: 'CURRENT', old: 'DRAINING' }), THEIRS)).toEqual({
      kind: 'draining',
      current: 'temper:new',
    });
  });

  test.each(['INACTIVE', 'DRAINED'] as const)('gets no tasks while it is %s', (state) => {
    expect(standingOf(deployment({ new: state, old: 'CURRENT' }), OURS)).toEqual({
      kind: 'idle',
      current: 'temper:old',
    });
  });

  test('may have left operations only as long as it is draining', () => {
    const all = deployment({ new: 'CURRENT', old: 'DRAINING', older: 'DRAINED' });
    expect(othersDraining(all, OURS)).toEqual([THEIRS]);
    expect(othersDraining(all, THEIRS)).toEqual([]);
  });
});
