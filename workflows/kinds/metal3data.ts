import { type DataAction, type DataAnswer, type DataMemory, dataEntity } from '../../domain/data/entity.ts';
import { type EntityStart, live } from '../life/live.ts';
import type { Performing } from '../life/run.ts';
import { requests } from '../proxies.ts';

/** One Metal3Data: claims addresses, has the Secrets written, releases the addresses. It never sees rendered texts. */
export const dataWorkflow = (start: EntityStart<DataMemory>): Promise<void> =>
  live({ kind: 'Metal3Data', entity: dataEntity, perform }, start);

function perform(action: DataAction, { summary }: Performing): Promise<DataAnswer> {
  switch (action.name) {
    case 'claim addresses':
      return requests(summary).claimAddresses(action);
    case 'let claims go':
      return requests(summary).letClaimsGo(action);
    case 'render':
      return requests(summary).renderData(action);
    case 'release addresses':
      return requests(summary).releaseAddresses(action);
  }
}
