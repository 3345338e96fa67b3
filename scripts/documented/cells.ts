import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';

/** The commands of `temper`, with their arguments and options. */
export type TemperCommands = Readonly<Record<string, { readonly line?: () => Promise<Command> }>>;

/**
 * Programs whose commands in the cells of tables are checked. They have placeholders: of the diagnoses,
 * `test/e2e/explain.test.ts` fills them in and runs the commands; no test runs the others.
 */
const PROGRAMS: readonly string[] = ['temper', 'kubectl', 'temporal'];

/** The options of kubectl's commands, as far as the pages use them. */
const KUBECTL: Readonly<Record<string, readonly string[]>> = {
  annotate: ['--overwrite'],
  apply: ['-f', '-k'],
  create: [
    '--clusterrole',
    '--docker-password',
    '--docker-server',
    '--docker-username',
    '--dry-run',
    '--from-literal',
    '--resource',
    '--serviceaccount',
    '--verb',
    '-o',
  ],
  delete: [],
  describe: [],
  edit: [],
  events: ['--for'],
  get: ['-A', '-l', '-o', '--field-selector', '--no-headers', '--show-labels'],
  logs: ['--tail'],
  patch: ['--type', '-p'],
  rollout: [],
  wait: [],
};
const KUBECTL_ALL: readonly string[] = ['-n', '--kubeconfig'];

const TEMPORAL: Readonly<Record<string, readonly string[]>> = {
  'operator cluster health': ['--address'],
  'operator namespace create': [],
  'worker deployment describe': ['--name'],
  'workflow describe': ['-w'],
  'workflow list': ['--query'],
  'workflow query': ['-w', '--workflow-id', '--type'],
  'workflow show': ['-w'],
  'workflow terminate': ['-w', '--reason'],
  'workflow unpause': ['-w', '--workflow-id'],
};

/** The commands in the cells of a page's tables. */
export const commandsInCells = (page: string): readonly string[] =>
  page
    .replaceAll(/^ *```[^]*?^ *```$/gm, '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(String.raw`\|`, '|')))
    .filter((code) => /^(?:npx )?(?:temper|kubectl|temporal) /.test(code));

/** The problem with a command, or with a part of a pipe; undefined: these programs know it. */
export async function problemOf(command: string, temper: TemperCommands): Promise<string | undefined> {
  for (const words of partsOf(command)) {
    const at = words.findIndex((word) => PROGRAMS.includes(word));
    if (at === -1) continue;
    const rest = words.slice(at + 1);
    const problem = await problemIn(words[at] ?? '', rest, temper);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemIn(program: string, words: readonly string[], temper: TemperCommands): Promise<string | undefined> {
  if (program === 'temper') return problemOfTemper(words, temper);
  return Promise.resolve(program === 'kubectl' ? problemOfKubectl(words) : problemOfTemporal(words));
}

/** The words of each part of a pipe. `…` stands for words that are left out. */
function partsOf(command: string): readonly (readonly string[])[] {
  const words = [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)]
    .map(([word]) => word)
    .filter((word) => word !== '…');
  const parts: string[][] = [[]];
  for (const word of words) {
    if (word === '|') parts.push([]);
    else parts.at(-1)?.push(word.replaceAll(/['"]/g, ''));
  }
  return parts;
}

async function problemOfTemper(
  [name = '', ...words]: readonly string[],
  commands: TemperCommands,
): Promise<string | undefined> {
  if (name === 'lab') return problemOfLab(words);
  if (name === 'temporal') return words.length === 0 ? undefined : problemOfTemporal(words);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return `temper has no command ${name}`;
  const line = await command.line?.();
  // A command without words is only named.
  if (line === undefined || words.length === 0) return undefined;
  try {
    line
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .parse(words, { from: 'user' });
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** The program of the lab reads its arguments when it is loaded: its text has its commands and options. */
function problemOfLab(words: readonly string[]): string | undefined {
  const text = readFileSync(fileURLToPath(new URL('../../lab/cli.ts', import.meta.url)), 'utf8');
  const isThere = (word: string): boolean =>
    word.startsWith('-') ? word === '--help' || text.includes(`'${word}`) : text.includes(`'${word}'`);
  return unknown('temper lab', words, isThere);
}

function problemOfKubectl(words: readonly string[]): string | undefined {
  const verb = words.find((word, at) => !word.startsWith('-') && !KUBECTL_ALL.includes(words[at - 1] ?? ''));
  if (verb === 'temper') return undefined;
  const options = KUBECTL[verb ?? ''];
  if (options === undefined) return `kubectl ${verb ?? ''} is not among the commands that the pages use`;
  return unknown(`kubectl ${verb ?? ''}`, optionsIn(words), (each) => [...KUBECTL_ALL, ...options].includes(each));
}

function problemOfTemporal(words: readonly string[]): string | undefined {
  const line = words.join(' ');
  const [command, options] = Object.entries(TEMPORAL).find(([known]) => `${line} `.startsWith(`${known} `)) ?? [];
  if (options === undefined) return `temporal ${line} is not among the commands that the pages use`;
  return unknown(`temporal ${command ?? ''}`, optionsIn(words), (each) => options.includes(each));
}

const optionsIn = (words: readonly string[]): readonly string[] =>
  words.filter((word) => /^--?\w/.test(word)).map((word) => word.replace(/=.*$/, ''));

function unknown(program: string, words: readonly string[], isKnown: (word: string) => boolean): string | undefined {
  const not = words.filter((word) => !isKnown(word));
  return not.length === 0 ? undefined : `${program} does not know ${not.join(' ')}`;
}
