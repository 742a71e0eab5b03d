import { expect, test } from 'vitest';
import { withService } from '../../src/run/connect.ts';
import { narrated } from '../../src/commands/narrator.ts';
import { capture } from '../support/run.ts';
import { serviceSettings } from '../support/settings.ts';
import { virtualClock } from '../support/virtual-clock.ts';

test('a pause that several requests are told of is said once, and a longer one again', async () => {
  const clock = virtualClock();
  const { context, stderr } = capture({
    url: 'https://id.example.com',
    clock,
    transport: () => Promise.reject(new Error('nothing is to be sent')),
  });
  const settings = await serviceSettings({}, context.env, { manifests: [], vars: {} }, context.files);
  await withService(settings, narrated(context, { quiet: false }), async ({ pacing }) => {
    for (const retryAfter of ['5', '5', '5', '60']) {
      pacing.note({ kind: 'slow_down', status: 429, retryAfter }, 1);
      await clock.sleep(1);
    }
  });
  expect(stderr()).toBe('The service asks to wait 5 s (429).\nThe service asks to wait 60 s (429).\n');
});
