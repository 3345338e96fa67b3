import { type DataAction, type DataAnswer, type DataMemory, dataEntity } from '../../domain/data/entity.ts';
import { type EntityStart, live } from '../life/live.ts';
import type { Performing } from '../life/run.ts';
import { data } from '../proxies.ts';

/** One Metal3Data: claims addresses, has the Secrets written, releases the addresses. It never sees rendered texts. */
export const dataWorkflow = (start: EntityStart<DataMemory>): Promise<void> =>
  live({ kind: 'Metal3Data', entity: dataEntity, perform }, start);

function perform(action: DataAction, { summary }: Performing): Promise<DataAnswer> {
  switch (action.name) {
    case 'claim addresses':
      return data(summary).claimAddresses(action);
    case 'let claims go':
      return data(summary).letClaimsGo(action);
    case 'render':
      return data(summary).renderData(action);
    case 'release addresses':
      return data(summary).releaseAddresses(action);
  }
}
