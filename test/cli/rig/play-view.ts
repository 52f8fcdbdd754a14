import { setTimeout as delay } from 'node:timers/promises';
import { liveView } from '../../../src/cli/view/live.ts';
import { scriptedRun } from './scripted-run.ts';

// Plays the scripted run on the terminal it is started in, four times as fast: node play-view.ts HOSTS LANG SECONDS. It stands
// still for so long, then is interrupted, then ends.
const FASTER = 4;
const [count = '3', lang = 'en', seconds = '3'] = process.argv.slice(2);
const hosts = Array.from({ length: Number(count) }, (_, i) => `node${i + 1}`);
const { stderr } = process;
const screen = {
  write: (text: string) => void stderr.write(text),
  get columns() {
    return stderr.columns ?? 80;
  },
  get rows() {
    return stderr.rows ?? 24;
  },
};
const view = liveView({
  screen,
  pipeline: 'create cluster',
  color: true,
  unicode: true,
  lang: lang === 'zh' ? 'zh' : 'en',
});
const start = Date.now();
for (const [after, event] of scriptedRun(hosts, start)) {
  const at = start + after / FASTER;
  const wait = at - Date.now();
  if (wait > 0) await delay(wait);
  view.sink({ ...event, at });
}
await delay(Number(seconds) * 1000);
view.interrupted('draining');
await delay(Number(seconds) * 1000);
view.close();
process.stderr.write('the end\n');
