import { type Examples, NOW } from './sights.ts';

export const TEMPORAL_EXAMPLES = {
  'temporal-down': [{ now: NOW, temporal: { where: '10.0.0.5:7233', why: 'connect ECONNREFUSED 10.0.0.5:7233' } }],
} satisfies Examples;
