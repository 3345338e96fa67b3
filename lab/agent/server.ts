import { readFile } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { failuresSchema } from '../machines/failure.ts';
import { type ChecksumType, IMAGE_CHECKSUM_TYPES, imageBytes, imageDigest, imageSize } from './images.ts';
import { bootOf, notificationSchema } from './machine/power.ts';
import { BOOT_ISO } from './machine/ramdisk.ts';
import type { SimulatedMachine } from './simulated-machine.ts';

export interface AgentServerDeps {
  readonly machines: ReadonlyMap<string, SimulatedMachine>;
  readonly byUuid: ReadonlyMap<string, SimulatedMachine>;
  readonly httpDir: string;
}

const commandRequest = z.object({ name: z.string(), params: z.unknown() });

/** The agents' API: one path for each machine, with the token as a query parameter. */
const agentRoutes = ({ machines }: AgentServerDeps): Hono => {
  const app = new Hono();
  const agentOf = (c: Context): SimulatedMachine['agent'] => machines.get(c.req.param('machine') ?? '')?.agent;
  app.get('/:machine/v1/commands', (c) => {
    const agent = agentOf(c);
    if (!agent) return c.json({ faultstring: 'no agent runs on this machine' }, 404);
    if (!agent.knows(c.req.query('agent_token'))) return c.json({ faultstring: 'Invalid agent token' }, 401);
    return c.json({ commands: agent.commands });
  });
  app.post('/:machine/v1/commands', async (c) => {
    const agent = agentOf(c);
    if (!agent) return c.json({ faultstring: 'no agent runs on this machine' }, 404);
    if (!agent.knows(c.req.query('agent_token'))) return c.json({ faultstring: 'Invalid agent token' }, 401);
    const { name, params } = commandRequest.parse(await c.req.json());
    const answer = await agent.execute({ name, params }, c.req.query('wait') === 'true');
    return answer === 'busy' ? c.json({ faultstring: 'Agent is busy' }, 409) : c.json(answer);
  });
  return app;
};

const imageRoutes = (): Hono => {
  const app = new Hono();
  app.get('/:name', async (c) => {
    const name = c.req.param('name');
    const [, image = name, suffix] = /^(.*)\.(md5|sha256|sha512)(?:sum)?$/.exec(name) ?? [];
    const size = imageSize(image);
    if (size === undefined)
      return c.text(`no image ${name}: names are <label>-<number><B|KiB|MiB|GiB>.<raw|qcow2|img|iso>`, 404);
    const type = IMAGE_CHECKSUM_TYPES.find((known) => known === suffix) satisfies ChecksumType | undefined;
    if (type) return c.text(`${await imageDigest(image, type)}  ${image}\n`);
    c.header('content-type', 'application/octet-stream');
    c.header('content-length', String(size));
    if (c.req.method === 'HEAD') return c.body(null);
    return c.body(Readable.toWeb(Readable.from(imageBytes(image))) as ReadableStream);
  });
  return app;
};

const fileRoutes = ({ httpDir }: AgentServerDeps): Hono => {
  const app = new Hono();
  app.get('/files/boot.iso', (c) =>
    c.body(new Uint8Array(BOOT_ISO), 200, { 'content-type': 'application/octet-stream' }),
  );
  // Files for media that Ironic builds: Ironic only copies them.
  for (const part of ['kernel', 'ramdisk', 'bootloader']) {
    app.get(`/files/${part}`, (c) =>
      c.body(`temper lab ${part}\n`, 200, { 'content-type': 'application/octet-stream' }),
    );
  }
  app.get('/http/*', async (c) => {
    const path = normalize(join(httpDir, decodeURIComponent(c.req.path.slice('/http/'.length))));
    if (!path.startsWith(httpDir + sep)) return c.notFound();
    const file = await readFile(path).catch(() => undefined);
    return file ? c.body(new Uint8Array(file), 200, { 'content-type': 'application/octet-stream' }) : c.notFound();
  });
  return app;
};

/** For tests and people: shows the content of disks and sets failures. */
const controlRoutes = ({ machines }: AgentServerDeps): Hono => {
  const app = new Hono();
  app.get('/', async (c) => c.json(await Promise.all([...machines.values()].map((machine) => machine.view()))));
  app.get('/:name', async (c) => {
    const machine = machines.get(c.req.param('name'));
    return machine ? c.json(await machine.view()) : c.json({ error: `no machine ${c.req.param('name')}` }, 404);
  });
  app.put('/:name/failures', async (c) => {
    const machine = machines.get(c.req.param('name'));
    if (!machine) return c.json({ error: `no machine ${c.req.param('name')}` }, 404);
    const failures = failuresSchema.safeParse(await c.req.json());
    if (!failures.success) return c.json({ error: z.prettifyError(failures.error) }, 400);
    await machine.fail(failures.data);
    return c.json(failures.data);
  });
  return app;
};

export const createAgentServer = (deps: AgentServerDeps): Hono => {
  const app = new Hono({ strict: false });
  app.put('/_notify', async (c) => {
    const system = notificationSchema.parse(await c.req.json());
    // The emulator waits for this answer while its own client waits for the emulator.
    deps.byUuid.get(system.uuid)?.follow(bootOf(system));
    return c.body(null, 204);
  });
  app.route('/agents', agentRoutes(deps));
  app.route('/images', imageRoutes());
  app.route('/machines', controlRoutes(deps));
  app.route('/', fileRoutes(deps));
  return app;
};
