import { afterAll, beforeAll, expect, test } from 'vitest';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath } from '../../kube/paths.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { NAMESPACE } from './support/hosts.ts';
import { create, expectGone, expectToShow, remove } from './support/machines.ts';
import { shareFixtureLab } from './support/place/join.ts';

/** Pools without Cluster API, whose kinds of addresses are not installed in the lab of the fixture. */

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await shareFixtureLab();
});
afterAll(() => lab?.stop());

test('an IPPool gives its address to one claim after the other, where Cluster API is not installed', async () => {
  const ofClusterApi = collectionPath(KINDS.clusterIpAddress, NAMESPACE);
  await expect(lab.kube.request({ path: ofClusterApi })).rejects.toMatchObject({ status: 404 });
  const pools = [{ start: '192.0.2.1', end: '192.0.2.1' }];
  await create(lab, 'ipPool', 'small', { spec: { namePrefix: 'small', prefix: 24, pools } });
  const given = { status: { address: { name: 'small-192-0-2-1' } } };
  await create(lab, 'ipClaim', 'first', { spec: { pool: { name: 'small' } } });
  await expectToShow(lab, 'ipClaim', 'first', given);

  await create(lab, 'ipClaim', 'second', { spec: { pool: { name: 'small' } } });
  await expectToShow(lab, 'ipClaim', 'second', { status: { errorMessage: 'Exhausted IP Pools' } });
  await remove(lab, 'ipClaim', 'first');
  await expectGone(lab, 'ipClaim', 'first');
  await expectToShow(lab, 'ipClaim', 'second', given);
});
