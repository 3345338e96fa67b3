import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printCheck } from '../../cli/migrate/check.ts';
import { KINDS } from '../../kube/kinds.ts';
import { hostCollection, hostPath } from '../../kube/paths.ts';
import { applyAllCrds } from '../../lab/control-plane/custom-resources.ts';
import { createObject } from '../../lab/control-plane/objects.ts';
import { type Administrator, anAdministrator, type Ran, ran } from './migration/administrator.ts';
import { BMO, claimsCrd, deploymentOf, leaseOf, webhooksOf } from './migration/operators.ts';

/** `temper migrate check` on a real API server: with what baremetal-operator leaves there, and without. */
const NAMESPACE = 'metal';
let admin: Administrator;
beforeAll(async () => {
  admin = await anAdministrator([NAMESPACE, BMO.namespace]);
});
afterAll(() => admin?.close());

const checked = (output: 'text' | 'json' = 'text'): Promise<Ran> =>
  ran((out) => printCheck({ output, dir: '/nowhere' }, out, Date.now()));

describe('temper migrate check', () => {
  test('finds nothing in the way where Metal3 never ran; exit code 0', async () => {
    const { code, text } = await checked();
    expect(text).toMatch(/^know +kind-missing +CustomResourceDefinition clusters\.cluster\.x-k8s\.io/m);
    expect(text).toMatch(/^Nothing hinders the switch\.$/m);
    expect(code).toBe(0);
  });

  test('finds what baremetal-operator has left; exit code 1', async () => {
    const host = {
      apiVersion: KINDS.host.apiVersion,
      kind: KINDS.host.kind,
      metadata: { namespace: NAMESPACE, name: 'host-1' },
    };
    await createObject(admin.kube, hostCollection(NAMESPACE), {
      ...host,
      metadata: { ...host.metadata, finalizers: ['baremetalhost.metal3.io', 'metal3.io/hostclaim'] },
      spec: { online: true },
    });
    await admin.kube.request({
      method: 'PATCH',
      path: `${hostPath(host.metadata)}/status`,
      query: { fieldManager: 'baremetal-operator' },
      contentType: 'application/merge-patch+json',
      body: {
        status: {
          operationalStatus: 'OK',
          poweredOn: true,
          errorMessage: '',
          provisioning: { state: 'provisioning', ID: 'a' },
        },
      },
    });
    await applyAllCrds(admin.kubeconfig, [claimsCrd], AbortSignal.timeout(300_000));
    await admin.create({
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'HostClaim',
      metadata: { namespace: NAMESPACE, name: 'claim-1' },
    });
    await admin.create(deploymentOf('baremetal-operator', BMO));
    await admin.create(leaseOf('pod_1', BMO.namespace));
    await admin.create(webhooksOf('baremetal-operator', BMO.namespace));

    const { code, text } = await checked();
    for (const row of [
      /^hinders +webhook-without-server +ValidatingWebhookConfiguration baremetal-operator-validating-webhook-configuration +refuses every write/m,
      /^hinders +other-operator +Deployment baremetal-operator-system\/baremetal-operator-controller-manager +runs baremetal-operator/m,
      /^hinders +other-operator +Lease baremetal-operator-system\/baremetal-operator +is held by a running baremetal-operator: pod_1/m,
      /^hinders +other-operator +BareMetalHost metal\/host-1 +has a status that baremetal-operator has written/m,
      /^hinders +finalizer-left +BareMetalHost metal\/host-1 +has the finalizer metal3\.io\/hostclaim/m,
      /^hinders +kind-not-served +HostClaim metal\/claim-1/m,
      /^know +host-busy +BareMetalHost metal\/host-1 +is provisioning/m,
      /^ {2}webhook-without-server: kubectl delete validatingwebhookconfiguration baremetal-operator-validating-webhook-configuration$/m,
    ])
      expect(text).toMatch(row);
    expect(code).toBe(1);
    const json = JSON.parse((await checked('json')).text) as { readonly found: readonly object[] };
    expect(json.found).toContainEqual(
      expect.objectContaining({ rule: 'kind-not-served', on: ['HostClaim metal/claim-1'] }),
    );
  });
});
