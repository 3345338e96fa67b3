import { expect, test } from 'vitest';
import { admittedKinds } from '../kinds.ts';
import { createReviews } from './reviews.ts';

const kinds = admittedKinds({ fakeHardware: false });
const reviews = createReviews(kinds, []);
const host = (metadata: object): object => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { namespace: 'metal', name: 'host-1', ...metadata },
  spec: { online: true, bmc: { address: 'nonsense://', credentialsName: '' } },
});

function refused(operation: string, object: object, oldObject?: object): unknown {
  const request = { uid: 'review-1', operation, namespace: 'metal', name: 'host-1', object, oldObject };
  const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  const { path = '' } = kinds.find(({ kind }) => kind === 'BareMetalHost') ?? {};
  return reviews.answer(path, new TextEncoder().encode(body)).refused;
}

test('a line about a refused object has its namespace, name and, unless it is new, uid', () => {
  const fields = {
    kind: 'BareMetalHost',
    object: 'metal/host-1',
    objectNamespace: 'metal',
    objectName: 'host-1',
  };
  expect(refused('CREATE', host({}))).toEqual(fields);
  const before = host({ uid: 'uid-1' });
  expect(
    refused('UPDATE', host({ uid: 'uid-1', annotations: { 'reboot.metal3.io': '{"mode":"odd"}' } }), before),
  ).toEqual({
    ...fields,
    objectUid: 'uid-1',
  });
});
