import { describe, expect, test } from 'vitest';
import { isEmpty, lackingIn, type NodeWish } from './node-wish.ts';

const WISH: NodeWish = {
  labels: { rack: '7', role: 'infra' },
  taints: [
    { key: 'infra', value: 'only', effect: 'NoSchedule' },
    { key: 'infra', effect: 'NoExecute' },
  ],
};

describe('a Node', () => {
  test('lacks what the Machine names and it has not, or has with another value', () => {
    const node: NodeWish = { labels: { rack: '8', own: 'x' }, taints: [{ key: 'infra', effect: 'NoExecute' }] };
    expect(lackingIn(node, WISH)).toEqual({
      labels: { rack: '7', role: 'infra' },
      taints: [{ key: 'infra', value: 'only', effect: 'NoSchedule' }],
    });
  });

  test('lacks nothing when it has more, or a taint with another value', () => {
    const node: NodeWish = {
      labels: { ...WISH.labels, own: 'x' },
      taints: [...WISH.taints.map((taint) => ({ ...taint, value: 'changed' })), { key: 'own', effect: 'NoSchedule' }],
    };
    expect(isEmpty(lackingIn(node, WISH))).toBe(true);
  });
});
