import type { IronicActivities, NodeOperations } from '../../activities/ironic/activities.ts';
import { type Clocks, PROCESS_CLOCKS } from '../../activities/permits/clocks.ts';
import { type Asking, askingFor, type Permit } from '../../activities/permits/permit.ts';

/** For tests: an object that asks for everything, and what is written to it. */
export interface WillingObject {
  readonly asking: Asking;
  /** How often it was read. */
  readonly reads: () => number;
  /** The marks that were written, in order. */
  readonly marks: readonly string[];
  /** Another process marks it. */
  readonly remark: (text: string) => void;
}

/**
 * @param earlier the text of a mark that the object has.
 * @param note is told of each read and each mark, when it happens.
 */
export function aWillingObject(
  earlier?: string,
  note: (what: string) => void = () => undefined,
  clocks: Clocks = PROCESS_CLOCKS,
): WillingObject {
  let mark = earlier;
  let reads = 0;
  const marks: string[] = [];
  const asking = askingFor({
    kube: {
      find: () => {
        reads += 1;
        note('read');
        return Promise.resolve({ metadata: { resourceVersion: String(reads), annotations: { mark } } });
      },
      patch: (_, body) => {
        const { annotations } = (body as { readonly metadata: { readonly annotations: { readonly mark: string } } })
          .metadata;
        const { request } = JSON.parse(annotations.mark) as { readonly request: string };
        marks.push(request);
        mark = annotations.mark;
        note(`mark ${request}`);
        return Promise.resolve({});
      },
    },
    path: '/host',
    uid: 'uid-1',
    annotation: 'mark',
    objection: () => undefined,
    earlier,
    clocks,
  });
  return { asking, reads: () => reads, marks, remark: (text) => void (mark = text) };
}

export const aPermit = (): Promise<Permit> => aWillingObject().asking.permit();

/** The activities of operations whose objects ask for everything. */
export function asActivities(
  operations: NodeOperations,
  of: () => WillingObject = () => aWillingObject(),
): IronicActivities {
  const performing = Object.entries(operations).map(
    ([name, operation]: [string, (order: never, asking: Asking) => Promise<unknown>]) => [
      name,
      (order: never) => operation(order, of().asking),
    ],
  );
  return Object.fromEntries(performing) as IronicActivities;
}
