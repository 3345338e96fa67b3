import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answers } from '../http/answers.ts';
import { type IronicLogin, passwordLine } from '../http/password-file.ts';
import type { LabMachine } from '../machines/machine.ts';
import type { Service } from '../service.ts';
import type { Venv } from './venv.ts';

/** The BMCs are simulated and listen on loopback only, so their credentials are not secret. */
export const BMC_LOGIN = { username: 'admin', password: 'password' } as const;

export interface EmulatorOptions {
  readonly dir: string;
  readonly port: number;
  readonly venv: Venv;
  readonly machines: readonly LabMachine[];
  /** Credentials of every BMC. */
  readonly login: IronicLogin;
  /** URL that the emulator calls at every change of a machine. */
  readonly notifyUrl: string;
}

const system = (machine: LabMachine): Readonly<Record<string, unknown>> => ({
  uuid: machine.uuid,
  name: machine.name,
  power_state: 'Off',
  boot_device: 'Hdd',
  external_notifier: true,
  nics: machine.inventory.nics.map(({ mac, ip }) => ({ mac, ip: ip ?? '' })),
  cpus: machine.inventory.cpu.count,
  memory_gib: Math.floor(machine.inventory.ramMiB / 1024),
});

/** Prepares the emulator of all BMCs; their state (power, media, boot device) in `dir` is kept. */
export const prepareEmulator = async (options: EmulatorOptions): Promise<Service> => {
  const stateDir = join(options.dir, 'state');
  const tempDir = join(options.dir, 'tmp');
  const passwordFile = join(options.dir, 'htpasswd');
  const settingsFile = join(options.dir, 'settings.json');
  // The emulator does not delete the folders of inserted media.
  await rm(tempDir, { recursive: true, force: true });
  await mkdir(tempDir, { recursive: true });
  await mkdir(stateDir, { recursive: true });
  await writeFile(passwordFile, await passwordLine(options.login), { mode: 0o600 });
  const settings = { stateDir, passwordFile, notifyUrl: options.notifyUrl, systems: options.machines.map(system) };
  await writeFile(settingsFile, JSON.stringify(settings, null, 2));
  return {
    name: 'redfish',
    command: options.venv.bin('sushy-emulator'),
    args: ['--config', join(import.meta.dirname, 'sushy.conf.py'), '-i', '127.0.0.1', '-p', String(options.port)],
    env: { TEMPER_REDFISH_SETTINGS: settingsFile, TMPDIR: tempDir, PYTHONDONTWRITEBYTECODE: '1' },
    cwd: options.dir,
    ready: (signal) => answers(`http://127.0.0.1:${options.port}/redfish/v1/Systems`, signal, { login: options.login }),
  };
};
