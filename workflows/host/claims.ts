import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { claimObstacle, withConsumer } from '../../domain/host/memory/consumer.ts';
import type { HostMemory } from '../../domain/host/memory/memory.ts';
import type { HostAnswer, HostClaimOrder } from '../../domain/machine/step.ts';
import { kubernetes } from '../proxies.ts';
import { claim, release } from './messages.ts';

interface Claimed {
  readonly memory: () => HostMemory | undefined;
  readonly change: (memory: HostMemory) => void;
}

/** Who has the host is decided here, one claim after the other. A claim that can't succeed is refused before it leaves a trace. */
export function handleClaims({ memory, change }: Claimed): void {
  let inHand: HostClaimOrder['machine'] | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (doIt: () => Promise<HostAnswer>): Promise<HostAnswer> => {
    const turn = last.then(doIt, doIt);
    last = turn.catch(() => undefined);
    return turn;
  };
  const book = (answer: HostAnswer): HostAnswer => {
    const known = memory();
    if (answer.kind === 'host' && answer.host !== null && known !== undefined) change(withConsumer(known, answer.host));
    return answer;
  };

  setHandler(
    claim,
    (order) =>
      inTurn(async () => {
        inHand = order.machine;
        try {
          return book(await kubernetes(`Give the host to ${order.machine.name}`).takeHost(order));
        } finally {
          inHand = undefined;
        }
      }),
    {
      description:
        'Give the host to a Metal3Machine, unless somebody else has it; asked by the workflow of the machine',
      validator: (order: HostClaimOrder) => {
        const obstacle = claimObstacle(memory(), inHand, order);
        if (obstacle !== undefined) throw ApplicationFailure.nonRetryable(obstacle, 'HostRefused');
      },
    },
  );
  setHandler(
    release,
    (order) =>
      inTurn(async () => book(await kubernetes(`Take the host back from ${order.machine.name}`).giveHostBack(order))),
    { description: 'Take the host back from a Metal3Machine; asked by the workflow of the machine' },
  );
}
