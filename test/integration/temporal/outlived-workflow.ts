import { proxyActivities } from '@temporalio/workflow';

const { late } = proxyActivities<{ late(): Promise<void> }>({
  startToCloseTimeout: 500,
  retry: { maximumAttempts: 1 },
});

/** Gives up an activity that ends nonetheless, which is told when nobody waits for it any more. */
export async function outlived(): Promise<void> {
  await late().catch(() => undefined);
}
