import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { patternMachine } from '../machines/pattern.ts';
import { labMachines, machinesText } from './lab-machines.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-lab-machines-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test('the machines of a lab are listed with what a BareMetalHost needs', async () => {
  const machine = patternMachine(0);
  const settings = {
    port: 1,
    disksDir: dir,
    httpDir: dir,
    ironicUrl: 'http://127.0.0.1:2/v1/',
    redfishUrl: 'http://127.0.0.1:3',
    bmc: { username: 'admin', password: 'password' },
    latency: { bootMs: 0, stepMs: 0 },
    machines: [machine],
  };
  await mkdir(join(dir, 'agent'));
  await writeFile(join(dir, 'agent', 'settings.json'), JSON.stringify(settings));
  const bmcAddress = `redfish-virtualmedia+http://127.0.0.1:3/redfish/v1/Systems/${machine.uuid}`;
  const listed = { name: 'lab-0000', bmcAddress, bootMACAddress: machine.inventory.nics[0]?.mac };
  expect(labMachines(dir)).toEqual([listed]);
  expect(machinesText(labMachines(dir))).toContain(bmcAddress);
});

test('a folder without a lab says so', () => {
  expect(() => labMachines(dir)).toThrow(`no lab with machines was started in ${dir}`);
});
