import { expect, test } from 'vitest';
import { aMachineOf, itsHost, itsNode, PROVIDER_ID } from '../../test/builders/machine-api.ts';
import { listed, related } from './entity.ts';
import { begin } from './memory.ts';

const alone = begin(aMachineOf());
const onHost = begin(aMachineOf({ host: itsHost({ state: 'provisioning' }) }));
const running = begin(aMachineOf({ host: itsHost(), node: itsNode(), providerID: PROVIDER_ID }));

test('a Machine is listed by its phase, in lower case', () => {
  expect(listed(alone)).toEqual({ state: 'provisioning' });
  expect(listed(running)).toEqual({ state: 'running' });
});

test('a Machine is listed by what it waits for', () => {
  expect(listed({ ...alone, noHost: { reason: 'none matches', news: { bridge: 'b', count: 0 } } })).toMatchObject({
    waitsFor: 'host',
  });
  expect(listed(onHost)).toMatchObject({ waitsFor: 'hardware' });
});

test('a Machine is listed by the action that failed', () => {
  const trouble = { action: 'fill host', message: 'no', times: 1, since: 0, until: 5_000 };
  expect(listed({ ...onHost, trouble })).toEqual({ state: 'provisioning', error: 'fill host', waitsFor: 'retry' });
});

test('a Machine has a link to the run of its host', () => {
  expect(related(onHost)).toEqual([{ kind: 'BareMetalHost', namespace: 'metal', name: 'host-1' }]);
  expect(related(alone)).toEqual([]);
  const foreign = itsHost({ consumer: { ...itsHost().consumer, name: 'another' } });
  expect(related(begin(aMachineOf({ host: foreign })))).toEqual([]);
});
