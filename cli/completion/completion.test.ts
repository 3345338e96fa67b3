import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Kube } from '../../kube/client.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { kubeconfigOf, kubeOf } from '../../test/builders/kube-of.ts';
import { completionCommand } from './commands.ts';
import { namesFor } from './names.ts';

const PAGE = 'docs/command-line.md';
const record = recordCommands('cli/completion/completion.test.ts');
/** The command of the page that begins like this. */
async function lineOfPage(begin: string): Promise<string> {
  const lines = (await readFile(PAGE, 'utf8')).split('\n');
  return lines.find((line) => line.startsWith(begin)) ?? `echo '${PAGE} has no such line'; exit 1`;
}

/** An API server with these objects, by the path of their list. */
let objects: Readonly<Record<string, readonly string[]>>;
let asked: string[];
let server: Server;
let kube: Kube;
beforeEach(async () => {
  [objects, asked] = [{}, []];
  server = createServer(({ url = '' }, response) => {
    const path = new URL(url, 'http://server').pathname.split('/').slice(-3).join('/');
    asked.push(path);
    response.setHeader('content-type', 'application/json');
    const items = objects[path]?.map((name) => ({ metadata: { name } }));
    if (items === undefined) return void response.writeHead(403).end('{}');
    response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
  });
  kube = await kubeOf(server);
});
afterEach(async () => {
  await kube.close();
  server.close();
});

describe('names of objects', () => {
  const names = (line: string): Promise<readonly string[]> => namesFor(line.split(' '), async () => kube);

  test.each([
    ['explain host ', 'default/baremetalhosts'],
    ['power off machine w -n metal', 'metal/metal3machines'],
    ['explain cluster --namespace=metal ', 'metal/clusters'],
  ])('are those of the kind and the namespace on the line: %s', async (line, path) => {
    objects = { [`namespaces/${path}`]: ['node-1', 'node-2', '$(reboot)'] };
    expect(await names(line)).toEqual(['node-1', 'node-2']);
  });

  test('are those of Machines of the Machine API too', async () => {
    objects = { 'namespaces/metal/machines': ['worker-0', 'worker-1'] };
    expect(await names('quarantine machine -n metal ')).toEqual(['worker-0', 'worker-1']);
    objects = { ...objects, 'namespaces/metal/metal3machines': ['m3m-1', 'worker-0'] };
    expect(await names('explain machine -n metal ')).toEqual(['m3m-1', 'worker-0', 'worker-1']);
  });

  test('are none where the API server refuses them', async () => {
    expect(await names('explain host ')).toEqual([]);
    expect(asked).toEqual(['namespaces/default/baremetalhosts']);
  });

  test('are not asked for before a kind is named, or for an option', async () => {
    expect([await names('explain h'), await names('explain '), await names('explain host --o')]).toEqual([[], [], []]);
    expect(asked).toEqual([]);
  });

  test('are none without a kubeconfig', async () => {
    const open = async () => {
      throw new Error('there is no kubeconfig');
    };
    expect(await namesFor(['explain', 'host', ''], open)).toEqual([]);
  });
});

describe('the script', () => {
  let folder: string;
  let env: Readonly<Record<string, string>>;
  beforeEach(async () => {
    objects = { 'namespaces/metal/baremetalhosts': ['node-1', 'node-2', 'rack-7'] };
    folder = await mkdtemp(join(tmpdir(), 'temper-completion-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(server));
    const program = `#!/bin/sh\nexec '${process.execPath}' '${resolve('cli/main.ts')}' "$@"\n`;
    await writeFile(join(folder, 'temper'), program, { mode: 0o755 });
    env = { KUBECONFIG: kubeconfig, HOME: folder, PATH: `${folder}:${process.env['PATH']}` };
  });
  afterEach(() => rm(folder, { recursive: true }));

  const runIn = record.shell(async (commands, ...shell: readonly string[]) => {
    const [program = '', ...options] = shell;
    return (await execa(program, [...options, '-c', commands], { env, all: true })).all;
  });
  const isInstalled = async (shell: string): Promise<boolean> =>
    (await execa(shell, ['--version'], { reject: false })).exitCode === 0;

  test('completes commands, options, their values and names of hosts in bash', async () => {
    // The first function is that of the package bash-completion, as far as the script uses it.
    const commands = `
_get_comp_words_by_ref() { words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=\${words[cword]}; prev=\${words[cword - 1]}; }
compopt() { :; }
${await lineOfPage('source <(temper completion bash)')}
complete -p temper
complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); __temper_complete; echo "\${COMPREPLY[*]}"; }
complete_line temper expl
complete_line temper explain host --out
complete_line temper explain host --output ''
complete_line temper explain -n metal host no
`;
    expect((await runIn(commands, 'bash', '--norc')).split('\n')).toEqual([
      'complete -F __temper_complete temper',
      'explain',
      '--output',
      'text json',
      'node-1 node-2',
    ]);
  });

  test('completes the same in zsh', async ({ skip }) => {
    const line = 'source <(temper completion zsh)';
    if (!(await isInstalled('zsh'))) {
      record.cannotRun(line);
      skip('zsh is not installed: bash has read its script');
    }
    // `_describe` of zsh would show the completions on the terminal.
    const commands = `
autoload -Uz compinit && compinit -D -u
${await lineOfPage(line)}
print -r -- $_comps[temper]
_describe() { local each; for each in "\${(@P)2}"; do print -rn -- "\${each%%:*} "; done; print; }
complete_line() { words=("$@"); CURRENT=$#; _temper; }
complete_line temper expl
complete_line temper explain host --out
complete_line temper explain host --output ''
complete_line temper explain -n metal host no
`;
    const lines = (await runIn(commands, 'zsh', '-f')).split('\n').map((each) => each.trim());
    expect(lines).toEqual(['_temper', 'explain', '--output', 'text json', 'node-1 node-2']);
  });

  test('is written where fish looks for it, and completes the same there', async ({ skip }) => {
    await mkdir(join(folder, '.config', 'fish', 'completions'), { recursive: true });
    await runIn(await lineOfPage('temper completion fish > '), 'bash', '--norc');
    const written = await readFile(join(folder, '.config/fish/completions/temper.fish'), 'utf8');
    expect(written).toContain('complete -c temper');
    if (!(await isInstalled('fish'))) skip('fish is not installed: its script was written, and its blocks end');
    const complete = async (words: string): Promise<string> => {
      const completed = await runIn(`complete --do-complete ${JSON.stringify(words)}`, 'fish', '--private');
      return completed.replaceAll(/\t.*$/gm, '').replaceAll('\n', ' ');
    };
    expect([
      await complete('temper expl'),
      await complete('temper explain host --out'),
      await complete('temper explain host --output '),
      await complete('temper explain -n metal host no'),
    ]).toEqual(['explain', '--output', 'json text', 'node-1 node-2']);
  });

  test('of kubectl calls the plugin with the words of the line', async () => {
    const home = await mkdtemp(join(tmpdir(), 'temper-home-'));
    const bin = join(home, '.local', 'bin');
    await mkdir(bin, { recursive: true });
    const ofHome = { HOME: home, PATH: `${bin}:${process.env['PATH']}` };
    for (const line of [await lineOfPage('printf '), await lineOfPage('chmod ')]) {
      await execa('bash', ['--norc', '-euc', line], { env: ofHome });
      record.ran(line);
    }
    await writeFile(join(bin, 'kubectl-temper'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const { stdout } = await execa(join(bin, 'kubectl_complete-temper'), ['explain', 'h'], { env: ofHome });
    await rm(home, { recursive: true });
    expect(stdout).toBe('complete -- explain h');
  });

  test.each([
    ['zsh', '#compdef temper'],
    ['fish', 'complete -c temper'],
    ['powershell', "Register-ArgumentCompleter -CommandName 'temper'"],
  ])('is there for %s', async (shell, part) => {
    const { stdout } = await execa(process.execPath, ['cli/main.ts', 'completion', shell]);
    expect(stdout).toContain(part);
    expect(stdout).toMatch(/temper complete '?--/);
  });

  test('for zsh is one that bash can read, and for fish one whose blocks end', async () => {
    const scriptOf = async (shell: string): Promise<string> =>
      (await execa(process.execPath, ['cli/main.ts', 'completion', shell])).stdout;
    const { stderr } = await execa('bash', ['--norc', '-n'], { input: await scriptOf('zsh') });
    expect(stderr).toBe('');
    const words = [...(await scriptOf('fish')).matchAll(/^ *(function|if|for|while|begin|switch|end)\b/gm)];
    const ends = words.filter(([, word]) => word === 'end');
    expect(ends.length).toBeGreaterThan(10);
    expect(ends).toHaveLength(words.length / 2);
  });

  test('is described on the page for each shell that the command knows', async () => {
    const page = await readFile(PAGE, 'utf8');
    const [argument] = completionCommand().registeredArguments;
    const shells = argument?.argChoices ?? [];
    expect(shells).toContain('powershell');
    expect(shells.filter((shell) => !page.includes(`temper completion ${shell}`))).toEqual([]);
  });

  test('is refused for a shell that nobody knows', async () => {
    const { exitCode } = await execa(process.execPath, ['cli/main.ts', 'completion', 'csh'], { reject: false });
    expect(exitCode).toBe(2);
  });
});
