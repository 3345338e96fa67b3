import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Service } from '../service.ts';
import { until } from '../supervisor/wait.ts';

/**
 * The namespaces of a node belong to one process: with it the kernel ends all others in them, also containers, and
 * removes their mounts and network links. So nothing of a node outlives the supervisor.
 */

/** Settings of the whole computer to which a kubelet sets them: it finds these values, and changes nothing. */
export const KERNEL_SETTINGS = {
  'kernel/keys/root_maxbytes': 25_000_000,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
} as const;

/** Files in a node's folder: its /var, and what its /etc has more than that of the computer. */
export const VAR = 'var';
export const ETC = 'etc';
const WORK = 'etc-work';
const READY = 'namespaces-are-ready';

/**
 * Of the computer's files only those in the given folders can be written. As process 1 of the node, the shell also reaps
 * processes that lost their parent.
 */
const BECOME_NODE = `
root=$1
shift
mount --bind "$root/${VAR}" /var
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$root/${ETC},workdir=$root/${WORK}" /etc
mount -t tmpfs tmpfs /run
for folder; do mount --bind "$folder" "$folder"; done
mount -o remount,bind,ro /
mkdir /run/kernel
while read -r setting value; do
  file=/run/kernel/$(echo "$setting" | tr / -)
  echo "$value" > "$file"
  mount --bind "$file" "/proc/sys/$setting"
done <<SETTINGS
${Object.entries(KERNEL_SETTINGS)
  .map(([setting, value]) => `${setting} ${value}`)
  .join('\n')}
SETTINGS
echo 1 > /proc/sys/net/ipv4/ip_forward
touch "$root/${READY}"
trap 'exit 0' TERM
while :; do sleep 3600 & wait $!; done
`;

/** Folders that must exist in a node's folder. */
export const NODE_FOLDERS = [VAR, ETC, WORK] as const;

/** A node: a mount, a network and a process namespace. Its /run is empty, its /var and /etc are in its folder. */
export const nodeNamespaces = (name: string, root: string, writable: readonly string[]): Service =>
  holder(name, ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'], BECOME_NODE, root, writable);

/** A network namespace alone. */
export const networkNamespace = (name: string, root: string): Service =>
  holder(name, ['--net'], `touch "$1/${READY}"; exec sleep infinity`, root);

const holder = (
  name: string,
  flags: readonly string[],
  script: string,
  root: string,
  more: readonly string[] = [],
): Service => ({
  name,
  command: 'unshare',
  args: [...flags, 'sh', '-euc', script, 'sh', root, ...more],
  ready: (signal) => until(`namespaces of ${name}`, () => access(join(root, READY)), signal),
});

/** Its /tmp cannot be written. */
export const NODE_ENVIRONMENT = { TMPDIR: '/var/tmp' } as const;

type Command = readonly [string, ...(readonly string[])];

/** The command that runs another one in the namespaces of a node, which this process holds. */
export const inNode = (holder: number, command: Command): Command => [
  'nsenter',
  `--target=${holder}`,
  '--mount',
  '--net',
  // The holder itself is outside: its child is process 1.
  `--pid=/proc/${holder}/ns/pid_for_children`,
  '--',
  ...command,
];

/** Runs a program on a node to its end; returns what it printed. */
export async function runOnNode(holder: number, command: Command): Promise<string> {
  const [program, ...args] = inNode(holder, command);
  return (await execa(program, args, { env: NODE_ENVIRONMENT })).stdout;
}

export const inNetwork = (holder: number, command: Command): Command => [
  'nsenter',
  `--target=${holder}`,
  '--net',
  '--',
  ...command,
];
