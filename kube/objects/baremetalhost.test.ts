import { expect, test } from 'vitest';
import { readHost } from './baremetalhost.ts';

const metadata = { namespace: 'metal', name: 'host-1', uid: 'u', resourceVersion: '1' };
const EMPTY = {
  metadata: {
    ...metadata,
    generation: 0,
    creationTimestamp: '',
    labels: {},
    annotations: {},
    finalizers: [],
    ownerReferences: [],
  },
  spec: { online: false, disablePowerOff: false, credentialsName: '' },
  status: { state: '', errorMessage: '', poweredOn: false, ips: [], hostname: '' },
  bmcAddress: '',
  imageUrl: '',
  deployMethod: '',
  architecture: '',
  images: [],
  provisioned: { imageUrl: '', deployMethod: '' },
  registrySecret: '',
  goodSecret: '',
  nodeId: '',
  agentNetworkData: '',
  operationalStatus: '',
  lastUpdated: '',
  errorType: '',
  errorCount: 0,
  provisioningFailCount: 0,
  operationHistory: {},
  systemVendor: {},
  carriedStatus: {},
};

test('a host with an empty spec is read with defaults', () => {
  expect(readHost({ metadata })).toEqual(EMPTY);
  expect(readHost({ metadata, spec: null, status: null })).toEqual(EMPTY);
});

test('malformed fields of a host are read as empty, well-formed ones are kept', () => {
  const odd = {
    metadata: { ...metadata, labels: 7 },
    spec: { online: 'yes', consumerRef: 'me', userData: [], bmc: 'none', image: { url: 'x' }, customDeploy: 'yes' },
    status: {
      provisioning: [],
      poweredOn: true,
      errorCount: '2',
      operationHistory: { inspect: { start: '2026-01-01T00:00:00Z', end: null }, register: 7 },
      hardware: { hostname: 'a', nics: [{ ip: '' }, { ip: '1' }, {}] },
      x: 1,
    },
  };
  const { hardware: _, ...others } = odd.status;
  expect(readHost(odd)).toEqual({
    ...EMPTY,
    spec: { ...EMPTY.spec, image: { url: 'x' }, customDeploy: 'yes' },
    imageUrl: 'x',
    images: [{ url: 'x' }],
    operationHistory: { inspect: { start: '2026-01-01T00:00:00Z' }, register: {} },
    status: { ...EMPTY.status, poweredOn: true, ips: ['1'], hostname: 'a' },
    nics: [{ ip: '' }, { ip: '1' }, { ip: '' }],
    carriedStatus: others,
  });
});

test.each([
  ['False with a message is read as reason and message', 'False', 'no disk', { notReady: 'Error: no disk' }],
  ['False without a message tells nothing', 'False', '', {}],
  ['True tells nothing', 'True', 'all is well', {}],
])('a condition Ready that is %s', (_, status, message, expected) => {
  const conditions = [{ type: 'Ready', status, reason: 'Error', message, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  expect(readHost({ metadata, status: { conditions } }).status).toEqual({ ...EMPTY.status, ...expected });
});
