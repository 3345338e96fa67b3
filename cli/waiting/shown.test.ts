import { expect, test } from 'vitest';
import { KINDS } from '../../kube/kinds.ts';
import { shownOf } from './shown.ts';

const metadata = { namespace: 'metal', name: 'a' };
const condition = (type: string, status: string, reason: string, message = '') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-01-01T11:00:00Z',
});
const SINCE = { since: '2026-01-01T11:00:00Z' };

test.each([
  [
    KINDS.host,
    { status: { provisioning: { state: 'available' }, operationalStatus: 'delayed' } },
    { state: 'available, delayed', reason: '', message: '', since: '' },
  ],
  [
    KINDS.host,
    {
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T11:00:00Z' },
      status: {
        provisioning: { state: 'deprovisioning' },
        conditions: [condition('Ready', 'False', 'Busy', 'cleans')],
      },
    },
    { state: 'deprovisioning, to be deleted', reason: 'Busy', message: 'cleans', ...SINCE },
  ],
  [
    KINDS.host,
    {
      metadata: { ...metadata, annotations: { 'temper/quarantine': '{"by":"ada","reason":"the fan is loud"}' } },
      status: { provisioning: { state: 'available' }, conditions: [condition('Ready', 'False', 'Held', 'waits')] },
    },
    { state: 'available, in quarantine', reason: 'in quarantine', message: 'by ada: the fan is loud', ...SINCE },
  ],
  [
    KINDS.metal3Machine,
    { metadata: { ...metadata, annotations: { 'cluster.x-k8s.io/paused': 'work' } } },
    { state: 'without a host, paused', reason: 'paused', message: 'by an annotation: work', since: '' },
  ],
  [
    KINDS.metal3Machine,
    { status: { conditions: [condition('Ready', 'False', 'NoHost', 'no available host found')] } },
    { state: 'without a host', reason: 'NoHost', message: 'no available host found', ...SINCE },
  ],
  [
    KINDS.metal3Machine,
    {
      metadata: { ...metadata, annotations: { 'metal3.io/BareMetalHost': 'metal/node-1' } },
      status: { conditions: [condition('Ready', 'True', 'Ready', 'all is well')] },
    },
    { state: 'on host node-1', reason: '', message: '', ...SINCE },
  ],
  [KINDS.host, { status: 7 }, { state: 'new', reason: '', message: '', since: '' }],
  [KINDS.host, { spec: null, status: null }, { state: 'new', reason: '', message: '', since: '' }],
])('a line says what %o shows', (kind, object, shown) => {
  expect(shownOf(kind, { metadata, ...object })).toEqual(shown);
});
