import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

/**
 * The part of the Compose specification that docker-compose.yml uses, as a strict schema: other keys are errors until
 * they are added here.
 */

const name = z.string().regex(/^[a-zA-Z0-9._-]+$/);
const text = z.string().min(1);
/** Numbers and booleans must be quoted: YAML would change how they are written. */
const environment = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string());
const seconds = z.string().regex(/^\d+s$/);

const healthcheck = z.strictObject({
  test: z.tuple([z.enum(['CMD', 'CMD-SHELL']), text], text),
  interval: seconds,
  timeout: seconds,
  retries: z.number().int().positive(),
  start_period: seconds.optional(),
});

const bind = z.strictObject({
  type: z.literal('bind'),
  source: text,
  target: z.string().startsWith('/'),
  read_only: z.boolean(),
  bind: z.strictObject({ create_host_path: z.boolean() }),
});

const service = z
  .strictObject({
    image: z.string().regex(/^[a-z0-9./-]+:[\w.-]+$/, 'an image with a tag'),
    build: text.optional(),
    command: z.array(text).optional(),
    entrypoint: z.array(text).optional(),
    user: text.optional(),
    restart: z.enum(['unless-stopped', 'on-failure']),
    depends_on: z
      .record(
        name,
        z.strictObject({ condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']) }),
      )
      .optional(),
    environment: environment.optional(),
    secrets: z.array(z.union([name, z.strictObject({ source: name, target: z.string().startsWith('/') })])).optional(),
    volumes: z.array(z.union([z.string().regex(/^[^:]+:\/[^:]+(:ro)?$/), bind])).optional(),
    ports: z.array(z.string().regex(/^[^:]+:(\$\{.+\}|\d+):\d+$/, 'address:port:port')).optional(),
    extra_hosts: z.array(text).optional(),
    healthcheck: healthcheck.optional(),
  })
  .readonly();
export type ComposeService = z.infer<typeof service>;

const composeFile = z.strictObject({
  name,
  services: z.record(name, service),
  secrets: z.record(name, z.strictObject({ environment: z.string().regex(/^[A-Z_]+$/) })),
  volumes: z.record(name, z.null()),
});
type ComposeFile = z.infer<typeof composeFile>;

export const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const composeText = (): string => readFileSync(inRepository('docker-compose.yml'), 'utf8');

/** docker-compose.yml with its anchors resolved and without extension fields; variables are kept as written. */
export function readCompose(): ComposeFile {
  const file = z.record(z.string(), z.unknown()).parse(parse(composeText(), { merge: true }));
  return composeFile.parse(Object.fromEntries(Object.entries(file).filter(([key]) => !key.startsWith('x-'))));
}

/** Names of the variables that a text takes from .env. */
export const variablesIn = (written: string): readonly string[] => [
  ...new Set([...written.matchAll(/\$\{([A-Z_]+)/g)].map(([, variable = '']) => variable)),
];

/** The value with its variables replaced by their values or defaults. */
export const interpolate = (written: string, env: Readonly<Record<string, string>>): string =>
  written.replace(/\$\{([A-Z_]+)(?::[-?]([^}]*))?\}/g, (whole, variable: string, fallback: string | undefined) =>
    env[variable] ? env[variable] : whole.includes(':-') ? (fallback ?? '') : '',
  );
