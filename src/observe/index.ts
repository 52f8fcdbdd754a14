export { openJsonLog } from './json-log.ts';
export {
  metricsText,
  serveMetrics,
  writeMetricsFile,
} from './metrics/metrics.ts';
export { buildLines, heartbeatLine, type PlainOptions, plainLines } from './plain.ts';
export { Redactor } from './redact/redactor.ts';
export { type FanOut, fanOut, type Sink } from './sink.ts';
export {
  type EventFilter,
  type EventReader,
  openEventReader,
  type RunFilter,
  type RunRecord,
  type RunStatus,
  type StoredEvent,
} from './store/reader.ts';
export { openEventStore } from './store/writer.ts';
export { guessText } from './texts.ts';
