import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { imageDigest } from '../agent/images.ts';
import { prepareAgentServer } from '../agent/service.ts';
import type { Latency } from '../agent/settings.ts';
import { DEFAULT_LATENCY } from '../agent/settings.ts';
import type { IronicLogin } from '../http/password-file.ts';
import { passwordLine } from '../http/password-file.ts';
import type { FailuresByMachine } from '../machines/load.ts';
import { assembleMachines, readOverrides } from '../machines/load.ts';
import type { LabMachine } from '../machines/machine.ts';
import type { NodeSettings } from '../node/settings.ts';
import { prepareProxy } from '../proxy/service.ts';
import type { Service } from '../service.ts';
import type { IronicConf } from './conf.ts';
import { BMC_LOGIN, prepareEmulator } from './redfish-emulator.ts';
import { ensureLogin, prepareIronicService } from './service.ts';
import { ensureVenv } from './venv.ts';

/** The port of each server on 127.0.0.1. */
export interface IronicPorts {
  readonly ironic: number;
  /** The recording proxy in front of Ironic; without a port it is not started. */
  readonly proxy?: number;
  readonly redfish: number;
  /** The agent simulator with the images and the control API of the machines. */
  readonly agent: number;
}

export const IRONIC_PORTS = { ironic: 16385, proxy: 16380, redfish: 18000, agent: 19999 } as const;

export interface IronicLabOptions {
  /** Folder with the state that survives a restart of the lab: databases, disks, logs of Ironic. */
  readonly dir: string;
  readonly ports: IronicPorts;
  readonly auth: 'noauth' | 'http_basic';
  readonly machines: number;
  /** Serves Ironic (and the proxy) over HTTPS. The certificate must be for 127.0.0.1. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly caFile: string };
  /** YAML or JSON file with machines that differ from the pattern. */
  readonly machinesFile?: string;
  readonly failures?: FailuresByMachine;
  /** Duration of the steps of `fake-hardware` nodes: seconds, or `min,max`. */
  readonly fakeHardwareDelay?: string;
  /** Ironic checks the power of all nodes at this interval in seconds. */
  readonly powerSync?: number;
  /** Ironic restores power that was changed without it. */
  readonly restoresPower?: boolean;
  /**
   * Machines without an image on their disks boot the deploy agent from the network, and Ironic enrolls those that it
   * does not know.
   */
  readonly discovery?: boolean;
  /** Credentials of every BMC. */
  readonly bmc?: IronicLogin;
  /** Lets machines join the clusters for which they are deployed. */
  readonly nodes?: NodeSettings;
  /** How long a simulated agent takes to boot and to run a step. */
  readonly latency?: Latency;
  readonly onProgress?: (message: string) => void;
}

export interface IronicEndpoints {
  /** The address for users of Ironic: the recording proxy when there is one, else Ironic itself. */
  readonly ironic: string;
  readonly ironicDirect: string;
  /** Base URL of the proxy's control API (`/_recorded`, `/_faults`). */
  readonly proxyControl?: string;
  readonly redfish: string;
  /** The agent simulator: `GET /machines/<name>`, `PUT /machines/<name>/failures`. */
  readonly agentControl: string;
  /** `<images>/<label>-<size>.raw` of any size; with `.sha256` (md5, sha512) its checksum file. */
  readonly images: string;
  readonly testImage: { readonly url: string; readonly checksum: string; readonly checksumType: 'sha256' };
  readonly deployIso: string;
  /** Folder for METAL3_AUTH_ROOT_DIR, with `ironic/username` and `ironic/password`; only with http_basic. */
  readonly authRootDir?: string;
  readonly bmc: { readonly username: string; readonly password: string };
}

export interface IronicLab {
  /** The services in the order in which they must start. */
  readonly services: readonly Service[];
  readonly endpoints: IronicEndpoints;
  readonly machines: readonly LabMachine[];
}

/** The BMC address of a machine for a BareMetalHost. */
export const bmcAddress = (machine: LabMachine, endpoints: Pick<IronicEndpoints, 'redfish'>): string =>
  `redfish-virtualmedia+${endpoints.redfish}/redfish/v1/Systems/${machine.uuid}`;

const local = (port: number, scheme: 'http' | 'https' = 'http'): string => `${scheme}://127.0.0.1:${port}`;

const testImage = async (images: string): Promise<IronicEndpoints['testImage']> => ({
  url: `${images}/test-1MiB.raw`,
  checksum: await imageDigest('test-1MiB.raw', 'sha256'),
  checksumType: 'sha256',
});

const endpointsOf = async (options: IronicLabOptions, authRootDir?: string): Promise<IronicEndpoints> => {
  const { ports, tls } = options;
  const scheme = tls ? 'https' : 'http';
  const agent = local(ports.agent);
  const images = `${agent}/images`;
  return {
    ironic: `${local(ports.proxy ?? ports.ironic, scheme)}/v1/`,
    ironicDirect: `${local(ports.ironic, scheme)}/v1/`,
    ...(ports.proxy === undefined ? {} : { proxyControl: local(ports.proxy, scheme) }),
    redfish: local(ports.redfish),
    agentControl: agent,
    images,
    testImage: await testImage(images),
    deployIso: `${agent}/files/boot.iso`,
    ...(authRootDir === undefined ? {} : { authRootDir }),
    bmc: options.bmc ?? BMC_LOGIN,
  };
};

const writePasswords = async (
  dir: string,
  authRootDir: string,
): Promise<{ login: IronicLogin; passwordFile: string }> => {
  const login = await ensureLogin(authRootDir, () => randomBytes(18).toString('base64url'));
  const passwordFile = join(dir, 'htpasswd');
  await writeFile(passwordFile, await passwordLine(login), { mode: 0o600 });
  return { login, passwordFile };
};

const confOf = (options: IronicLabOptions, dir: string, passwordFile: string | undefined): IronicConf => {
  const { ports, tls } = options;
  const scheme = tls ? 'https' : 'http';
  return {
    dir,
    port: ports.ironic,
    publicUrl: local(ports.proxy ?? ports.ironic, scheme),
    ownUrl: local(ports.ironic, scheme),
    agentUrl: local(ports.agent),
    ...(passwordFile === undefined ? {} : { passwordFile }),
    ...(tls ? { tls } : {}),
    ...(options.fakeHardwareDelay === undefined ? {} : { fakeDelay: options.fakeHardwareDelay }),
    ...(options.powerSync === undefined ? {} : { powerSync: options.powerSync }),
    ...(options.restoresPower === undefined ? {} : { restoresPower: options.restoresPower }),
    ...(options.discovery === true && { discovery: true }),
  };
};

/**
 * Creates all files that the servers need, including the database. Idempotent: files of an earlier lab in `dir` are
 * kept.
 */
export const prepareIronic = async (options: IronicLabOptions): Promise<IronicLab> => {
  const report = options.onProgress ?? (() => undefined);
  const root = resolve(options.dir);
  const dir = join(root, 'ironic');
  await mkdir(dir, { recursive: true });
  const overrides = options.machinesFile ? await readOverrides(options.machinesFile) : undefined;
  const machines = assembleMachines(options.machines, overrides, options.failures);
  const venv = await ensureVenv(report);
  const authRootDir = options.auth === 'http_basic' ? join(root, 'auth') : undefined;
  const passwords = authRootDir === undefined ? undefined : await writePasswords(dir, authRootDir);
  const endpoints = await endpointsOf(options, authRootDir);
  const caEnv: Record<string, string> = options.tls ? { NODE_EXTRA_CA_CERTS: resolve(options.tls.caFile) } : {};
  const agent = await prepareAgentServer({
    dir: join(root, 'agent'),
    disksDir: join(root, 'disks'),
    httpDir: join(dir, 'http'),
    port: options.ports.agent,
    ironicUrl: endpoints.ironicDirect,
    redfishUrl: endpoints.redfish,
    machines,
    bootsFromNetwork: options.discovery === true,
    latency: options.latency ?? DEFAULT_LATENCY,
    bmc: endpoints.bmc,
    ...(options.nodes === undefined ? {} : { nodes: options.nodes }),
    env: caEnv,
  });
  const redfish = await prepareEmulator({
    dir: join(root, 'redfish'),
    port: options.ports.redfish,
    venv,
    machines,
    login: endpoints.bmc,
    notifyUrl: `${endpoints.agentControl}/_notify`,
  });
  const ironic = await prepareIronicService({
    conf: confOf(options, dir, passwords?.passwordFile),
    venv,
    ...(passwords ? { login: passwords.login } : {}),
    ...(options.tls ? { ca: await readFile(options.tls.caFile, 'utf8') } : {}),
    report,
  });
  const services = [agent, redfish, ironic];
  if (options.ports.proxy !== undefined) {
    services.push(
      await prepareProxy({
        dir: join(root, 'proxy'),
        port: options.ports.proxy,
        upstream: local(options.ports.ironic, options.tls ? 'https' : 'http'),
        ...(options.tls ? { tls: options.tls } : {}),
        env: caEnv,
      }),
    );
  }
  return { services, endpoints, machines };
};
