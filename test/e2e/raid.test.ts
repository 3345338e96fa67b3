import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resultsOf } from '../../domain/host/results/results.ts';
import { keepHistories } from './support/histories.ts';
import { createHost, editHost, getHost, hostGone, hostIn, hostThat, kubectl } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { machineOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';

/** A host with software volumes, which its agent builds; the lab's BMCs have no RAID controller. */
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: 2 });
});
afterAll(() => lab?.stop());

const raid = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };
const name = 'host-1';

describe('a host that asks for a mirror', () => {
  test('is prepared with it before it is available, and its image goes onto the mirror', async () => {
    await createHost(lab, 1, { raid, image: lab.endpoints.testImage });
    const { metadata, status } = await hostIn(lab, name, 'provisioned');
    expect(status.provisioning).toMatchObject({ raid });
    expect(status.provisioning).not.toHaveProperty('rootDeviceHints');
    expect(resultsOf(metadata.annotations)).toContainEqual(
      expect.objectContaining({ what: 'prepare', result: 'done', start: expect.any(String) as unknown }),
    );
    const { disk } = await machineOf(lab, 1);
    expect(disk).toMatchObject({
      volumes: [{ name: '/dev/md0', level: '1', disks: ['/dev/sda', '/dev/sdb'] }],
      image: { digest: lab.endpoints.testImage.checksum },
    });
  });

  test('loses it when it is taken down and asks for none', async () => {
    await editHost(lab, name, { raid: null, image: null });
    await hostThat(lab, name, 'available without volumes', ({ status }) => {
      const noted = status.provisioning['raid'];
      return status.provisioning.state === 'available' && JSON.stringify(noted) === '{"softwareRAIDVolumes":[]}';
    });
    expect((await getHost(lab, name))?.status.provisioning).toMatchObject({
      rootDeviceHints: { deviceName: '/dev/sda' },
    });
  });

  test('says what is wrong with volumes that can not be built', async () => {
    await editHost(lab, name, { raid: { softwareRAIDVolumes: [{ level: '0' }] } });
    const { status } = await hostThat(lab, name, 'in error', (host) => host.status.errorType !== '');
    expect(status).toMatchObject({
      errorType: 'preparation error',
      errorMessage: 'the level in first volume of software raid must be RAID1',
      provisioning: { state: 'preparing' },
    });
    await kubectl(lab, ['delete', `bmh/${name}`, '--wait=false']);
    await hostGone(lab, name);
    await keepHistories(lab, 'raid', name);
  });
});
