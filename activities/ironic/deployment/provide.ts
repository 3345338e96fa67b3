import { provideMove } from '../../../domain/ironic/moves/provide.ts';
import type { HostRef, IronicAnswer, ProvisionOrder } from '../../../domain/ironic/orders.ts';
import type { DocumentReader } from '../../documents/threads.ts';
import { DocumentError } from '../../documents/users-document.ts';
import { HostDataError } from '../../host-data.ts';
import { moveNode, requestFor } from '../carry-out.ts';
import type { Tools } from '../tools.ts';
import { readConfigDrive, withTextsAhead, wrongData } from './deploy.ts';

/** A node to clean, and whether an earlier failure of it is retried instead of reported. */
export interface ProvideOrder {
  readonly host: HostRef;
  readonly nodeId: string;
  readonly retry: boolean;
  /** What will be deployed afterwards; absent in older runs. */
  readonly deployment?: ProvisionOrder;
}

/** Makes a node available, which cleans it. Not for a deployment whose data is wrong: that is said first. */
export async function provideNode(
  tools: Tools,
  { host, nodeId, retry, deployment }: ProvideOrder,
): Promise<IronicAnswer> {
  const provide = (check: () => Promise<void>): Promise<IronicAnswer> =>
    moveNode(tools, {
      host,
      nodeId,
      decide: (node) => provideMove(node, { retry }),
      take: (turn) => {
        const request = requestFor(tools, turn, nodeId);
        return async (step) => {
          await check();
          await request(step);
        };
      },
    });
  try {
    if (deployment === undefined) return await provide(() => Promise.resolve());
    return await withTextsAhead(tools, deployment, (texts) => provide(() => checkData(tools, deployment, texts)));
  } catch (error) {
    if (error instanceof DocumentError) return wrongData(error);
    throw error;
  }
}

/** Throws a DocumentError for wrong data. A missing Secret is no hindrance yet: the deployment waits for it. */
export async function checkData(
  tools: Pick<Tools, 'hostData' | 'call'>,
  deployment: ProvisionOrder,
  texts?: DocumentReader,
): Promise<void> {
  try {
    await readConfigDrive(tools, deployment, texts);
  } catch (error) {
    if (!(error instanceof HostDataError)) throw error;
  }
}
