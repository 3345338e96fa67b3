import { z } from 'zod';
import { bridgeConfig, workersConfig } from '../platform/config/config.ts';
import { FLAGS } from '../platform/config/flags.ts';
import { putPage } from './generated-page.ts';

/** Generates docs/configuration.md from the schemas that parse the environment. */

interface Variable {
  readonly name: string;
  /** '' when there is none. */
  readonly flag: string;
  readonly meaning: string;
  /** undefined: the variable is required. */
  readonly fallback: string | undefined;
}

type Config = typeof bridgeConfig | typeof workersConfig;

const described = z.object({
  properties: z.record(
    z.string(),
    z.object({
      description: z.string().optional(),
      enum: z.array(z.string()).optional(),
      default: z.unknown().optional(),
    }),
  ),
});

/** Throws for a variable without a description. */
function variablesOf(config: Config): readonly Variable[] {
  const { properties } = described.parse(z.toJSONSchema(config, { io: 'input' }));
  return Object.entries(config.shape).map(([name, schema]: [string, z.ZodType]) => {
    const property = properties[name];
    if (property?.description === undefined)
      throw new Error(`platform/config/config.ts does not say what ${name} means`);
    const choices = property.enum === undefined ? '' : `; one of ${property.enum.map(code).join(', ')}`;
    return {
      name,
      flag: flagFor(name),
      meaning: `${property.description}${choices}`,
      fallback: typeof property.default === 'string' ? shown(property.default) : fallbackOf(schema),
    };
  });
}

function flagFor(variable: string): string {
  const [name] = Object.entries(FLAGS).find(([, flag]) => flag.variable === variable) ?? [];
  return name === undefined ? '' : code(`-${name}`);
}

const address = z.object({ hostname: z.string(), port: z.number() });

/** The default value, as a user would write it into the variable. */
function fallbackOf(schema: z.ZodType): string | undefined {
  const unset = schema.safeParse(undefined);
  if (!unset.success) return undefined;
  const { data } = unset;
  const parsed = address.safeParse(data);
  if (parsed.success) return code(`${parsed.data.hostname}:${parsed.data.port}`);
  if (data === undefined) return 'not set';
  return shown(JSON.stringify(data));
}

const shown = (text: string): string => (text === '' ? 'empty' : code(text));

function code(text: string): string {
  return `\`${text}\``;
}

const table = (variables: readonly Variable[]): readonly string[] => [
  '| variable | flag | default | meaning |',
  '|---|---|---|---|',
  ...variables.map(
    ({ name, flag, meaning, fallback }) => `| ${code(name)} | ${flag} | ${fallback ?? '**required**'} | ${meaning} |`,
  ),
];

function render(): string {
  const bridge = variablesOf(bridgeConfig);
  const workers = variablesOf(workersConfig);
  const ofWorkers = new Set(workers.map(({ name }) => name));
  const shared = new Set(bridge.map(({ name }) => name).filter((name) => ofWorkers.has(name)));
  return [
    '# Configuration',
    '',
    'Generated from `platform/config/config.ts` by `npm run configuration`; `npm run check` fails when it is out of date.',
    '',
    'Both processes read their command line and their environment once, at the start. An invalid value stops the process with a',
    'message that names the flag or the variable. An empty value counts as not set. Variables of baremetal-operator have the',
    'same meaning here.',
    '',
    'Flags are those of baremetal-operator. Both processes accept all of them, also those that only the other one uses, so that both can have the same',
    'arguments. Flags have one dash or two, as `-name=value` or `-name value`; a switch (`-dev`) needs no value. A flag',
    'takes precedence over its variable. `-help` lists them. A duration is written as in Go: `30s`, `1m30s`.',
    '',
    '## Both processes',
    '',
    ...table(bridge.filter(({ name }) => shared.has(name))),
    '',
    '## Bridge (`node k8s-bridge/main.ts`)',
    '',
    ...table(bridge.filter(({ name }) => !shared.has(name))),
    '',
    '## Workers (`node workers/main.ts`)',
    '',
    ...table(workers.filter(({ name }) => !shared.has(name))),
    '',
  ].join('\n');
}

await putPage('configuration', render());
