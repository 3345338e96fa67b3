import { describe, expect, test } from 'vitest';
import { givenUp } from '../../domain/host/outcome/given-up.ts';
import { KINDS } from '../../kube/kinds.ts';
import { explained, FAILED, object, server, spec, status, TIMEOUT } from '../../test/builders/explained.ts';
import { explanationLines } from './render.ts';

describe('the explanation of a host', () => {
  test('has an error once, whatever repeats it', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    await api.put(KINDS.host, 'node-1', object());
    const waitingFor = `waiting to try again after inspection error: ${TIMEOUT}`;
    const lines = explanationLines(
      await explained(api, 'host', { BareMetalHost: { id: 'baremetalhost/metal/node-1', waitingFor } }),
    );
    expect(lines.filter((line) => line.includes(TIMEOUT))).toHaveLength(1);
    expect(lines).toContain('waits for: waiting to try again');
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}run .*waiting to try again$/));
  });

  test('says what Ironic does with the node, as the wait for it shows', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    await api.put(KINDS.host, 'node-1', object({ status }));
    const ironic = { state: 'inspect wait', step: 'deploy.write_image' };
    const run = { id: 'baremetalhost/metal/node-1', waitingFor: '', ironic };
    const { chain } = await explained(api, 'host', { BareMetalHost: run });
    expect(chain).toContainEqual({ kind: 'Ironic node', name: 'n', says: 'inspect wait, step deploy.write_image' });
  });

  test('does not say that a server is off whose BMC has never answered', async () => {
    const api = server();
    const provisioning = { state: 'registering', ID: '' };
    await api.put(
      KINDS.host,
      'node-1',
      object({ status: { ...FAILED, errorType: 'registration error', provisioning } }),
    );
    const found = await explained(api);
    expect(found.stands).toBe('registering, in error');
    expect(explanationLines(found).join()).not.toContain('powered off');
  });

  test('plans what goes on during a deployment as that, and cleans no disks again', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    const provisioning = { state: 'provisioning', ID: 'n', rootDeviceHints: { deviceName: '/dev/sda' } };
    const image = { url: 'http://images/a.raw' };
    const now = { ...status, hardwareProfile: 'unknown', lastAttemptedImage: image, provisioning };
    await api.put(KINDS.host, 'node-1', object({ spec: { ...spec, image }, status: now }));
    const { plan } = await explained(api);
    expect(plan?.steps).toMatchObject([{ state: 'provisioning', isUnderway: true }]);
    expect(explanationLines(await explained(api))).toContain(
      '  1. provisioning: under way: write http://images/a.raw to the disk with deviceName /dev/sda, and boot it  ERASES the disk with deviceName /dev/sda',
    );
  });

  test('of a host that was given up says how often its image failed, and why it failed the last time', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    const given = {
      ...FAILED,
      errorType: 'provisioning error',
      errorMessage: givenUp(5, 5, 'Validation of image href http://images/a.raw failed, reason: Got HTTP code 404'),
      errorCount: 1,
      provisioningFailCount: 5,
      provisioning: { state: 'available', ID: 'n' },
    };
    await api.put(
      KINDS.host,
      'node-1',
      object({ spec: { ...spec, image: { url: 'http://images/a.raw' } }, status: given }),
    );
    const found = await explained(api);
    expect(explanationLines(found)).toContain(
      '  provisioning error, failure 5 with this image, is tried again when something changes:',
    );
    expect(found.causes.map(({ id }) => id)).toEqual(['image-given-up', 'image-not-found']);
  });
});
