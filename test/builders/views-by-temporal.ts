import type { ViewActivities } from '../../workflows/messages.ts';

/** For workers whose bridge takes views by Temporal alone. */
export const VIEWS_BY_TEMPORAL: ViewActivities = { handOverView: () => Promise.resolve({ kind: 'not taken' }) };
