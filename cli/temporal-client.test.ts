import { expect, test } from 'vitest';
import { temporalConfigOf } from './temporal-client.ts';

const LAB = { temporalAddress: '127.0.0.1:7000', temporalNamespace: 'lab' };

test('Temporal is that of the environment, else that of the lab', () => {
  const given = { TEMPORAL_ADDRESS: '10.0.0.5:7233', TEMPORAL_NAMESPACE: 'metal' };
  expect(temporalConfigOf(LAB, given)).toMatchObject(given);
  const ofLab = { TEMPORAL_ADDRESS: '127.0.0.1:7000', TEMPORAL_NAMESPACE: 'lab' };
  expect(temporalConfigOf(LAB, {})).toMatchObject(ofLab);
  const empty = { TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '', TEMPORAL_TLS: '' };
  expect(temporalConfigOf(LAB, empty)).toMatchObject(ofLab);
});
