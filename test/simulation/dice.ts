import type { Random } from '../../src/base/clock.ts';

/** Random decisions. Each uses one random number. */
export function dice(random: Random): {
  readonly chance: (probability: number) => boolean;
  readonly whole: (least: number, most: number) => number;
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
} {
  const whole = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  return {
    chance: (probability) => random() < probability,
    whole,
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
  };
}
