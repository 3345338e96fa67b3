import type { EntityView } from '../../../domain/entity/view.ts';
import type { HostRecord } from '../../../domain/host/memory/host-record.ts';
import type { HostOfKind } from '../../../domain/host/report/view.ts';

/** The part of the status that the host's workflow decides. Views come from our own workflows. */
export const recordOf = (view: EntityView): HostRecord => view.shown.status as unknown as HostRecord;

export const ofKind = (view: EntityView): HostOfKind => view.shown.ofKind as unknown as HostOfKind;
