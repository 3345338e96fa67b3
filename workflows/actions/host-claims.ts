import { claimObstacle, withConsumer } from '../../domain/host/memory/consumer.ts';
import type { HostMemory } from '../../domain/host/memory/memory.ts';
import { hostClaim, hostRelease } from '../../domain/host/message-shapes.ts';
import { withSecretMarked } from '../../domain/host/registration/secret-marked.ts';
import type { HostAnswer, HostClaimOrder } from '../../domain/machine/memory/step.ts';
import type { CheckedMessages } from '../life/checked-messages.ts';
import { claim, release } from '../messages.ts';
import { answering } from '../proxies.ts';

/**
 * Decides which machine has the host, one claim after the other. A claim that cannot succeed is refused without an
 * entry in the history.
 */
export function listenForClaims({ update, known, take }: CheckedMessages<HostMemory>): void {
  let inHand: HostClaimOrder['machine'] | undefined;
  const book = (answer: HostAnswer): HostAnswer => {
    const host = known();
    if (answer.kind === 'host' && answer.host !== null && host !== undefined) {
      const { secret } = answer;
      const known = withConsumer(host.memory, answer.host);
      take(secret === undefined ? known : withSecretMarked(known, secret));
    }
    return answer;
  };

  update(claim, {
    description:
      'Claims the host for a Metal3Machine, unless it has another consumer; sent by the workflow of the machine',
    shape: hostClaim,
    refusal: (order) => claimObstacle(known(), inHand, order),
    async perform(order) {
      inHand = order.machine;
      try {
        return book(await answering(`Claim the host for machine ${order.machine.name}`).takeHost(order));
      } finally {
        inHand = undefined;
      }
    },
  });
  update(release, {
    description: 'Releases the host from a Metal3Machine; sent by the workflow of the machine',
    shape: hostRelease,
    perform: async (order) =>
      book(await answering(`Release the host from machine ${order.machine.name}`).giveHostBack(order)),
  });
}
