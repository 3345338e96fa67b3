import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { pino } from 'pino';
import { controlPlaneProcesses } from '../node/control-plane/control-plane-process.ts';
import { createAgentApi } from './deploy-agent/ironic-api.ts';
import { createBmc } from './machine/redfish-api.ts';
import { createAgentServer } from './server.ts';
import { settingsSchema } from './settings.ts';
import { openMachine, type SimulatedMachine } from './simulated-machine.ts';

const RECOVER_RETRY_MS = 200;

const log = pino({ name: 'agent', level: process.env['LOG_LEVEL'] ?? 'info' });
const [, , file] = process.argv;
if (file === undefined) throw new Error('usage: node lab/agent/main.ts <settings.json>');
const settings = settingsSchema.parse(JSON.parse(await readFile(file, 'utf8')));

const ironic = createAgentApi(settings.ironicUrl, log);
const bmc = createBmc(settings.redfishUrl, settings.bmc);
const nodes = settings.nodes && { settings: settings.nodes, processes: controlPlaneProcesses(settings.nodes.logsDir) };
const machines = new Map<string, SimulatedMachine>();
const byUuid = new Map<string, SimulatedMachine>();
for (const machine of settings.machines) {
  const callbackUrl = `http://127.0.0.1:${settings.port}/agents/${machine.name}`;
  const opened = await openMachine({ ...settings, nodes, machine, callbackUrl, ironic, bmc, log });
  machines.set(machine.name, opened);
  byUuid.set(machine.uuid, opened);
}

/** The emulator starts after this server, because it notifies this server of every change. */
const recoverAll = async (): Promise<void> => {
  for (const [name, machine] of machines) {
    while (!(await machine.recover())) {
      log.debug({ machine: name }, 'the BMC does not answer yet');
      await delay(RECOVER_RETRY_MS);
    }
  }
};

const app = createAgentServer({ machines, byUuid, httpDir: settings.httpDir });
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: settings.port }, ({ port }) => {
  log.info({ port, machines: machines.size }, 'serving');
  void recoverAll();
});
// Only clients close idle connections: a request never meets a connection that is being closed here.
if ('keepAliveTimeout' in server) server.keepAliveTimeout = 0;

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close();
    process.exit(0);
  });
}
