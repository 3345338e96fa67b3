import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** The expected state of a host: `state` is `status.provisioning.state`, null means absent. */
const expectation = z.strictObject({
  state: z.string().optional(),
  /** Part of `status`. */
  status: z.record(z.string(), z.unknown()).optional(),
  /** Part of `metadata.annotations`. */
  annotations: z.record(z.string(), z.unknown()).optional(),
  /** Part of `spec`. */
  spec: z.record(z.string(), z.unknown()).optional(),
});
export type Expectation = z.infer<typeof expectation>;

const values = z.record(z.string(), z.string().nullable());

export const LOGIN = { username: 'admin', password: 'secret' };

/** Fields of every host, unless a story overrides them. */
const HOST_SPEC = {
  online: true,
  bootMACAddress: '00:5c:52:31:3a:9c',
  bmc: { address: 'redfish://192.0.2.10/redfish/v1/Systems/1', credentialsName: 'bmc' },
};

/** A null in a story removes a default field. */
const completed = (spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries({ ...HOST_SPEC, ...spec }).filter(([, value]) => value !== null));

const step = z.union([
  /** Creates a Secret of that name, or replaces its values. */
  z.strictObject({
    secret: z.string(),
    data: z.record(z.string(), z.string()).default(LOGIN),
    type: z.string().optional(),
  }),
  z.strictObject({ hardwareData: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    create: z.record(z.string(), z.unknown()).transform(completed),
    annotations: z.record(z.string(), z.string()).optional(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
  /** JSON merge patches of the host, each as its own request. */
  z.strictObject({ spec: z.record(z.string(), z.unknown()) }),
  z.strictObject({ status: z.record(z.string(), z.unknown()) }),
  z.strictObject({ annotate: values }),
  z.strictObject({ label: values }),
  z.strictObject({ delete: z.enum(['host', 'hardwaredata']) }),
  z.strictObject({ deleteSecret: z.string() }),
  /** Waits until the host is like this. */
  z.strictObject({ until: expectation }),
  /** Waits for this many Events of that reason since the last write of the story. */
  z.strictObject({ event: z.string(), times: z.number().default(1) }),
  z.strictObject({ gone: z.literal('host') }),
  /** Resets upstream's fixture provisioner, which cannot inspect its only server a second time. */
  z.strictObject({ restart: z.literal('operator') }),
  /** Waits until nothing happens. */
  z.strictObject({ quiet: z.literal(true) }),
]);
export type Step = z.infer<typeof step>;

const story = z.strictObject({
  story: z.string(),
  /** The purpose of the story, when its title and steps do not show it. */
  about: z.string().optional(),
  steps: z.array(step).min(1),
});
export type Story = z.infer<typeof story>;

const FOLDER = join(import.meta.dirname, 'stories');

/** All stories, in the order of the files. */
export function readStories(): readonly Story[] {
  const stories = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => z.array(story).parse(parse(readFileSync(join(FOLDER, file), 'utf8'))));
  const names = new Set(stories.map(({ story: name }) => name));
  if (names.size < stories.length) throw new Error('two stories have the same title');
  return stories;
}
