import { execa } from 'execa';

/** Ironic 39 requires Python 3.11. */
const OLDEST_MINOR = 11;
const NAMES = ['python3.13', 'python3.12', 'python3.11', 'python3', 'python3.14', 'python'];
const PROBE =
  'import ensurepip, json, platform, sys, venv; print(json.dumps([sys.version_info[0], sys.version_info[1], platform.machine()]))';

export interface Python {
  readonly path: string;
  /** Version and processor: a venv depends on both. */
  readonly fingerprint: string;
}

const probe = async (path: string, env: NodeJS.ProcessEnv): Promise<Python | string> => {
  const options = { reject: false, timeout: 20_000, env, extendEnv: false } as const;
  const result = await execa(path, ['-c', PROBE], options);
  if (result.code === 'ENOENT') return 'not found';
  if (result.failed) return (result.stderr ?? '').trim().split('\n').at(-1) || (result.shortMessage ?? 'failed');
  const answer: unknown = JSON.parse(result.stdout);
  if (!Array.isArray(answer)) return `unexpected answer ${result.stdout}`;
  const [major, minor, machine] = answer.map(String);
  if (major !== '3' || Number(minor) < OLDEST_MINOR) return `Python ${major}.${minor}`;
  return { path, fingerprint: `${major}.${minor}-${machine}` };
};

const advice = (seen: readonly string[]): string =>
  [
    `Ironic needs Python >= 3.${OLDEST_MINOR} with venv and pip, and none was found (${seen.join('; ')}). To get it:`,
    '  Debian, Ubuntu:  sudo apt install python3 python3-venv',
    '  Fedora, RHEL:    sudo dnf install python3.12',
    '  macOS:           brew install python@3.13',
    'or name one in the environment: TEMPER_PYTHON=/path/to/python3',
  ].join('\n');

/** The first Python that can run Ironic: TEMPER_PYTHON, then the usual names in PATH. */
export const findPython = async (env: NodeJS.ProcessEnv = process.env): Promise<Python> => {
  const named = env['TEMPER_PYTHON'];
  const seen: string[] = [];
  for (const name of named ? [named] : NAMES) {
    const answer = await probe(name, env);
    if (typeof answer !== 'string') return answer;
    if (answer !== 'not found' || named) seen.push(`${name}: ${answer}`);
  }
  throw new Error(advice(seen.length > 0 ? seen : ['nothing named python3 on PATH']));
};
