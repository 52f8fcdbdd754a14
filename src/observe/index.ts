export { type JsonLogOptions, openJsonLog } from './json-log.ts';
export {
  type MetricsServer,
  memoryTotals,
  metricsText,
  serveMetrics,
  type TotalsSource,
  writeMetricsFile,
} from './metrics/metrics.ts';
export type { Total, TotalName } from './metrics/totals.ts';
export { buildLines, heartbeatLine, type PlainOptions, plainLines } from './plain.ts';
export { Redactor } from './redact/redactor.ts';
export { type FanOut, fanOut, type Sink, sinkOf } from './sink.ts';
export {
  type EventFilter,
  type EventReader,
  openEventReader,
  type RunFilter,
  type RunRecord,
  type RunStatus,
  type StoredEvent,
} from './store/reader.ts';
export { type EventStoreOptions, openEventStore } from './store/writer.ts';
export { durationText, guessText, outcomeTexts, runOutcomeTexts } from './texts.ts';
