import { z } from 'zod';
import { bridgeConfig, workersConfig } from '../platform/config/config.ts';
import { FLAGS } from '../platform/config/flags.ts';
import { putPage } from './generated-page.ts';

/** docs/configuration.md from the schemas that parse the environment. */

interface Variable {
  readonly name: string;
  /** '' when there is none. */
  readonly flag: string;
  readonly meaning: string;
  /** undefined: there is none, and the process does not start without the variable. */
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

/** Throws on a variable without a meaning: the page is all that an operator has. */
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

/** What the process goes on with when the variable is not set, as one would write it into the variable. */
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
    'Both processes read their command line and their environment once, at the start. A value that can’t be used stops the process with a',
    'message that names the flag or the variable. An empty value counts as one that is not set. Names that baremetal-operator knows too',
    'mean the same here.',
    '',
    'Flags are those of baremetal-operator. Both processes take all of them, also those that only the other one heeds, so that one list of',
    'arguments serves both. They are written with one dash or two, as `-name=value` or `-name value`; a switch (`-dev`) may stand alone. A flag',
    'wins over its variable. `-help` lists them. A duration is written as in Go: `30s`, `1m30s`.',
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
