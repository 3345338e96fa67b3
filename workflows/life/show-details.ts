import { setCurrentDetails } from '@temporalio/workflow';
import type { Markdown } from '../../domain/entity/markdown.ts';

/** The only place that shows a run's details, so that no text of others gets there as Markdown. */
export const showDetails = (details: Markdown): void => setCurrentDetails(details);
