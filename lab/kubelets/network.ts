import { execa } from 'execa';
import { HOST, type KubeletNode, NODES } from './addresses.ts';
import { inNetwork } from './namespaces.ts';

/** The link of the computer to the cluster. */
export const HOST_LINK = 'temper0';

/**
 * Connects the computer and the nodes through a bridge. It is in a network namespace of its own, and so are the other
 * ends of all links, so that they end with the processes that hold the namespaces.
 */
export async function connect(bridge: number, holderOf: (node: KubeletNode) => number): Promise<void> {
  await ip(undefined, [
    `link add ${HOST_LINK} type veth peer name host netns ${bridge}`,
    `address add ${HOST}/24 dev ${HOST_LINK}`,
    `link set ${HOST_LINK} up`,
    ...NODES.map(({ address, pods }) => `route add ${pods} via ${address}`),
  ]);
  await ip(bridge, [
    'link add br0 type bridge',
    'link set br0 up',
    'link set host master br0 up',
    ...NODES.flatMap((node) => [
      `link add ${node.name} type veth peer name eth0 netns ${holderOf(node)}`,
      `link set ${node.name} master br0 up`,
    ]),
  ]);
  for (const node of NODES) {
    const others = NODES.filter((other) => other !== node);
    await ip(holderOf(node), [
      'link set lo up',
      `address add ${node.address}/24 dev eth0`,
      'link set eth0 up',
      `route add default via ${HOST}`,
      ...others.map(({ address, pods }) => `route add ${pods} via ${address}`),
    ]);
  }
}

/** Runs commands of `ip` in the network namespace that a process holds; undefined: that of the computer. */
async function ip(holder: number | undefined, commands: readonly string[]): Promise<void> {
  const batch = ['ip', '-batch', '-'] as const;
  const [program, ...args] = holder === undefined ? batch : inNetwork(holder, batch);
  await execa(program, args, { input: commands.join('\n') });
}
