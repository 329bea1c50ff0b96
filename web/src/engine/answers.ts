// Written by `cargo xtask docs` from the Rust types of the views' answers. Do not edit.

/** Values by field name, such as `exclusive_cpu_ns`. A view's columns show which fields exist. */
export type Values = Readonly<Record<string, unknown>>;

/** The metrics that whittle knows. Imported files can have others. */
export type KnownMetric = 'cpu' | 'user_cpu' | 'system_cpu' | 'off_cpu' | 'syscalls' | 'syscall_time' | 'io_bytes' | 'page_faults' | 'alloc_bytes' | 'alloc_count' | 'lock_wait' | 'wall' | 'cpu_samples' | 'samples' | 'java_samples' | 'wall_samples' | 'contentions' | 'cycles' | 'instructions' | 'cache_misses' | 'branch_misses' | 'other';

/** The answer to a request, by the request's `view`. */
export interface Answers {
  'call-tree': CallTreeView;
  'callers-callees': CallersCalleesView;
  'classes': ClassesView;
  'experiment': ExperimentAnswer;
  'findings': FindingsView | ComparedFindings;
  'flame-graph': FlameGraphView;
  'function': FunctionDetailsView;
  'functions': FunctionsView;
  'heat-map': HeatMapHeader;
  'lanes': LanesHeader;
  'lines': LinesView;
  'locks': WakersView;
  'overview': OverviewView | ComparisonView;
  'packages': Packages;
  'pauses': PausesView;
  'requests': RequestsView;
  'source': SourceView;
  'stack-at': StackAtView;
  'stack-chart': StackChartView;
  'stacks': StacksView;
  'suggest': Suggestions;
  'syscalls': SyscallsView | ComparedSyscallsView;
  'threads': ThreadsView;
  'timeline': TimelineHeader;
  'tree-rows': TreeRowsView;
  'waits': WaitsView;
  'wakers': WakersView;
}

/** Which direction of an endpoint is better. */
export type Better = "smaller" | "larger" | "unknown";

/** Values of both sides, per unit of work or another unit. */
export type BothSides = {
  /** Values of the baseline. Missing if the baseline has no such call. */
  baseline: SyscallFigures | null,
  /** Values of the candidate. Missing if the candidate has no such call. */
  candidate: SyscallFigures | null, };

/** One metric's samples compared with the kernel's count. */
export type CalibrationLine = {
  /** The metric. */
  metric: string,
  /** Sum of the samples of all threads. */
  sampled: number,
  /** The kernel's count. */
  exact: number,
  /** `exact` divided by `sampled`. Missing if nothing was sampled. */
  factor: number | null,
  /** The thread with the factor farthest from 1. Threads with less than 1 % of `exact` are ignored. Missing if all remaining threads have the factor 1. */
  farthest_thread: string | null,
  /** The factor of `farthest_thread`. Missing if this thread has no samples, or if `farthest_thread` is missing. */
  farthest_factor: number | null, };

/** The answer of [`call_tree`](call_tree()). */
export type CallTreeView = {
  /** The columns of all rows. */
  columns: Array<Column>,
  /** The base of percentages. */
  percent_of: PercentOf,
  /** Number of subtrees that are left out because they are too deep or too small. */
  pruned_count: number,
  /** Number of subtrees that the limit leaves out. */
  limited_count: number,
  /** The nodes. The first row is the root. Parents come before children, and the heaviest child comes first. */
  rows: Array<TreeRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** The answer of [`callers_callees`](callers_callees()). */
export type CallersCalleesView = {
  /** The columns of all rows. */
  columns: Array<Column>,
  /** The names of the centre's functions, outermost first. */
  fragment: Array<string>,
  /** The inclusive value of the fragment. It is attributed to callers and callees, and it is the base of their percentages. */
  inclusive: Values,
  /** The fragment's exclusive value, from the samples with the fragment at the leaf end of the stack. */
  own: Values,
  /** Number of callers before the limit is applied. */
  caller_count: number,
  /** Functions that call the fragment. `<Total>` is the caller if the fragment is outermost. */
  callers: Array<FunctionRow>,
  /** Number of callees before the limit is applied. */
  callee_count: number,
  /** Functions that the fragment calls. */
  callees: Array<FunctionRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** The caller: the deepest frame of the program's own code, and the library's frame between this frame and the pattern. */
export type CallingPlace = {
  /** The function as displayed. */
  function: string,
  /** Source file without folders. `None`: unknown. */
  file: string | null,
  /** The line with the largest share of the finding. `None`: unknown. */
  line: number | null,
  /** Text of the line. `None`: source not found. */
  text: string | null,
  /** All lines, the largest share first. */
  lines: Array<LinePart>,
  /** The third-party function between the caller and the pattern. `None`: there is no library between them. */
  library: LibraryPlace | null, };

/** A key that rows are grouped by. */
export type ClassKey = "class" | "site";

/** Allocations of one class, at one site, or both. */
export type ClassRow = {
  /** The class, as in the filter `class is "byte[]"`. `<unknown>`: the class is not in the data. Missing if rows are not grouped by class. */
  class: string | null,
  /** The function that allocates. Missing if rows are not grouped by site, or if the stack has no such function. */
  function: string | null,
  /** The function's source file name. Missing if unknown. */
  source_file: string | null,
  /** The line that allocates, counted from 1. Missing if unknown, and in comparisons: line numbers differ between versions. */
  line: number | null,
  /** Number of samples. */
  samples_count: number, } & Values;

/** The answer of [`classes`](classes()). */
export type ClassesView = {
  /** The keys that rows are grouped by. */
  by: Array<ClassKey>,
  /** The columns of `total` and of each row. */
  columns: Array<Column>,
  /** The values of all selected allocations. They are the base of percentages. */
  total: Values,
  /** Number of selected samples of allocations. */
  samples_count: number,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** The rows. */
  rows: Array<ClassRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** CPU time of the samples compared with the kernel's count, in nanoseconds, before any calibration. */
export type Closure = {
  /** Exact on-CPU time of the process during the collection. */
  exact_cpu_ns: number,
  /** The part of `exact_cpu_ns` in user mode, from the kernel (scaled timer ticks). Missing: not measured. */
  exact_user_ns: number | null,
  /** The part of `exact_cpu_ns` in system mode, from the kernel (scaled timer ticks). Missing: not measured. */
  exact_system_ns: number | null,
  /** Weight of all CPU samples. */
  sampled_ns: number,
  /** Weight of the CPU samples with a stack that reaches the thread's root. */
  rooted_ns: number, };

/** The cost of an owner's code. */
export type CodePart = {
  /** The owner, as in the filter `code is own`. */
  owner: string,
  /** The owner in words. */
  words: string,
  /** The cost, in the unit of `column`. */
  amount: number,
  /** The share of `total`, from 0 to 1. */
  ratio: number, };

/** One source of data. */
export type Collector = {
  /** The program, for example `async-profiler 4.6`. */
  name: string,
  /** The engine, for example `cpu` or `ctimer`. */
  engine: string,
  /** The requested sampling interval in nanoseconds. Missing: the engine has no interval, or it is unknown. */
  interval_ns: number | null,
  /** Whether the collector worked. */
  status: CollectorStatus,
  /** Why this engine was chosen, or why it is missing: one sentence. */
  reason: string, };

/** Whether a collector worked. */
export type CollectorStatus = "used" | "unavailable";

/** A column of values in a view. */
export type Column = {
  /** The kind of value. */
  flavour: Flavour,
  /** The metric's name. */
  metric: string,
  /** The metric's title. */
  title: string,
  /** Unit of the values. A percent column has the unit of its metric. */
  unit: Unit,
  /** True if values are shown as percentages of the base that the view names. The stored values do not change. */
  is_percent: boolean,
  /** The part of a comparison. Missing if nothing is compared. */
  part?: Part, };

/** A value that is not a sum over samples. Each side has the mean of its runs. */
export type ComparedCounter = {
  /** Name of the value. */
  title: string,
  /** Unit of the value. Missing if the program printed the number. In this case, the name contains the unit. */
  unit: Unit | null,
  /** The baseline's value. */
  baseline: number,
  /** The candidate's value. */
  candidate: number,
  /** Which direction is better. */
  is_better_when: Better, };

/** A finding of one or both sides. */
export type ComparedFinding = {
  /** The detector. */
  detector: string,
  /** The problem in a few words. */
  title: string,
  /** The calling method, as displayed: the candidate's, or the baseline's if the candidate has no finding. */
  function: string,
  /** Source file and line, `Log.java:41`: the line to edit, otherwise the calling line. `None`: unknown. */
  place: string | null,
  /** The measure of the shares. */
  measure: Measure,
  /** The baseline's values. `None`: the baseline does not have the pattern. */
  baseline: SeenOnSide | null,
  /** The candidate's values. `None`: the candidate does not have the pattern. */
  candidate: SeenOnSide | null,
  /** Why the finding is uncertain, or that the pattern is too small for a finding on one side. `None`: neither. */
  reason: string | null, };

/** The findings of both sides of a comparison. */
export type ComparedFindings = {
  /** The view's name. */
  view: string,
  /** The compared sides. */
  comparison: Comparison,
  /** What these runs show, in one sentence. It is no verdict. */
  sentence: string,
  /** Findings of the baseline that the candidate does not have. In each list, the largest share comes first. */
  gone: Array<ComparedFinding>,
  /** Findings of the candidate that the baseline does not have. */
  new: Array<ComparedFinding>,
  /** Findings that both sides have. On one side, the pattern can be too small for a finding. */
  same: Array<ComparedFinding>,
  /** Findings of one side that the other side cannot show, see `reason`. */
  uncertain: Array<ComparedFinding>,
  /** Information that the lists do not show. */
  notes: Array<string>, };

/** One side of a comparison. */
export type ComparedSide = {
  /** Names of the side's runs. */
  name: string,
  /** Number of the side's runs. */
  runs: number,
  /** Elapsed time of all runs of the side. */
  duration_ns: number,
  /** CPU time of all runs of the side. */
  cpu_ns: number,
  /** Units of work of all runs of the side. Missing if values are not per unit of work. */
  units: number | null, };

/** One row of calls with the same keys. */
export type ComparedSyscallRow = {
  /** The system call. Missing if rows are not grouped by system call. */
  call: string | null,
  /** Kind of file. Missing if rows are not grouped by kind of file. */
  file_kind: FileKind | null,
  /** Path, or the peer of a socket. Missing if rows are not grouped by file. */
  file: string | null,
  /** The calling function. Missing if rows are not grouped by caller. */
  caller: string | null,
  /** Values of the baseline. Missing if the baseline has no such call. */
  baseline: SyscallFigures | null,
  /** Values of the candidate. Missing if the candidate has no such call. */
  candidate: SyscallFigures | null, };

/** The answer of [`compared_syscalls`](compared_syscalls()). */
export type ComparedSyscallsView = {
  /** The keys that rows are grouped by. */
  by: Array<SyscallKey>,
  /** The values of all selected calls. */
  total: BothSides,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** The rows. */
  rows: Array<ComparedSyscallRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** The comparison as shown to the user. */
export type Comparison = {
  /** The baseline. */
  baseline: ComparedSide,
  /** The candidate. */
  candidate: ComparedSide,
  /** The unit by which all values are divided. */
  per: PerAnswer,
  /** A sentence about how reliable the comparison is. */
  words: string, };

/** The answer of [`comparison_overview`](comparison_overview()). */
export type ComparisonView = {
  /** The columns of `totals`. */
  columns: Array<Column>,
  /** The sums of all samples. */
  totals: Values,
  /** Time, throughput, memory, and values that the program printed. */
  counters: Array<ComparedCounter>,
  /** Cost that moved between functions while their caller's cost did not change. */
  moved: Array<MovedCost>,
  /** The functions with the largest change of exclusive cost. */
  top_functions: Array<FunctionRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** The certainty of a finding. */
export type Confidence = "possible" | "likely" | "certain";

/** Whether a cost grows with the work. */
export type CostKind = "fixed" | "per_unit" | "not_told";

/** The processor's mode at the time of the sample. */
export type CpuMode = "unknown" | "user" | "system";

/** The source of a thread's user/system split. */
export type CpuSplitSource = "none" | "kernel_ticks";

/** A condition on the data and its result. */
export type Criterion = {
  /** The condition in words: `1.1 bytes per call (required: at most 512)`. */
  text: string,
  /** Whether the condition is met. `None`: the data is missing. */
  holds: boolean | null, };

/** Stacks that look like a pattern, but a condition denied the finding. */
export type Denied = {
  /** The detector. */
  detector: string,
  /** The problem in a few words. */
  title: string,
  /** The calling method, as displayed. */
  function: string,
  /** Source file without folders. `None`: unknown. */
  file: string | null,
  /** The line with the largest share. `None`: unknown. */
  line: number | null,
  /** The share of the work threads' total in the detector's measure. */
  program_ratio: number,
  /** The measure of the share. */
  measure: Measure,
  /** The condition that is not met, with its value. */
  reason: string, };

/** The direction of a flame graph. */
export type Direction = "callees" | "callers";

/** A line to edit. */
export type EditSite = {
  /** The class, named as in the JVM. */
  class: string,
  /** The method's name without its descriptor: `<init>`. */
  method: string,
  /** Source file without folders. `None` if unknown. */
  file: string | null,
  /** Line. `None` if the class was compiled without lines. */
  line: number | null,
  /** The code on the line in words: `new java.io.FileOutputStream(…), kept in field CrcOut.w`. */
  what: string,
  /** The text of the line. `None` if the source was not found. */
  text: string | null,
  /** How the line was found: the steps from the call to this line, one sentence each. */
  steps: Array<string>,
  /** Other places that are equally possible: assignments of the same field. */
  others: Array<OtherSite>,
  /** The field that contains the object. `None` if no field contains the object. */
  field: FieldUse | null,
  /** The value of the constant, if the code is a number. */
  constant: number | null, };

/** The kind of time that is saved. */
export type Endpoint = "cpu" | "elapsed";

/** Time of threads in endpoints, from samples. */
export type EndpointFigures = {
  /** Time of all kinds. Threads overlap, so it can be longer than the time range. */
  duration_ns: number,
  /** Number of samples. */
  samples_count: number,
  /** The time of each kind, as a sum. */
  times: RequestKindTimes,
  /** The parts of the time. */
  shares: RequestShares, };

/** A method of the program that a server or a framework calls. */
export type EndpointRow = {
  /** The method. Missing: code of the framework, outside the methods of the program. */
  function: string | null,
  /** The server or framework: `Spring MVC`. */
  framework: string,
  /** The share of the time of all endpoints. Missing if this time is 0. */
  ratio: number | null,
  /** Time of all kinds. Threads overlap, so it can be longer than the time range. */
  duration_ns: number,
  /** Number of samples. */
  samples_count: number,
  /** The time of each kind, as a sum. */
  times: RequestKindTimes,
  /** The parts of the time. */
  shares: RequestShares, };

/** Time of threads by endpoint. */
export type Endpoints = {
  /** All endpoints. */
  total: EndpointFigures,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** The rows. */
  rows: Array<EndpointRow>, };

/** What was observed. */
export type EventKind = "cpu" | "java_sample" | "wall" | "alloc" | "lock" | "off_cpu" | "syscall" | "syscall_bytes" | "syscall_time" | "page_fault" | "cycles" | "instructions" | "cache_misses" | "branch_misses" | "other";

/** A value that supports a finding. */
export type Evidence = {
  /** The counter. */
  figure: Figure,
  /** The counter's value. */
  value: number,
  /** The value in words: `754,662 system calls per second`. */
  text: string, };

/** How a program ended. */
export type ExitStatus = { "code": number } | { "signal": number };

/** A prediction: a range that contains the saving for about nine programs in ten. */
export type ExpectedSaving = {
  /** The saving according to the model alone, as a share of the time of the finding's threads: what was measured, less what usually remains. Measured programs differ from it, so `low_ratio` and `high_ratio` are the prediction. */
  modelled_ratio: number,
  /** Lower end of the saving, as a share of the time of the finding's threads. `endpoint` is the kind of time. */
  low_ratio: number,
  /** Upper end. */
  high_ratio: number,
  /** The kind of time. */
  endpoint: Endpoint,
  /** The model of the prediction. */
  model: GainModel,
  /** Lower end of the saving, as a share of the time of all work threads. */
  program_low_ratio: number,
  /** Upper end. */
  program_high_ratio: number, };

/** The main facts about an experiment. */
export type ExperimentAnswer = { view: string, written_by: Program, command: Array<string>, comment: string, state: State, duration_ns: number, start_wall_ns: number | null, host: Host | null, jvm: Jvm | null, collectors: Array<Collector>, closure: Closure | null, closure_ratio: number | null, metrics: Array<MetricLine>, modes: [ViewMode, ViewMode, ViewMode], thread_count: number, sample_count: number, function_count: number, has_thread_states: boolean, has_syscalls: boolean, has_java: boolean,
/** Why there are no requests, without a full stop at the end. Missing: there are requests. */
no_requests: string | null,
/** Why nothing tells who ended waits, without a full stop at the end. Missing: there are such waits. */
no_wakers: string | null,
/** Names of the counters. Each name occurs once. */
counters: Array<string>,
/** The compared sides. Missing if the experiment is not a comparison. */
comparison?: Comparison,
/** Notes for the reader, one sentence each. */
notes: Array<string>, };

/** A field and its other uses. */
export type FieldUse = {
  /** The field as displayed: `c01.Slow$CrcOut.w`. */
  field: string,
  /** The field's declaration: `final java.io.OutputStream w`. */
  declaration: string,
  /** Line of the declaration. `None` if the source was not found. */
  line: number | null,
  /** Uses of the field in addition to the calling line and the line to edit. The edit must not break these uses: `close(), line 6: w.close()`. */
  uses: Array<OtherSite>, };

/** A value that a condition can limit. */
export type Figure = "calls_per_second" | "bytes_per_call" | "cpu_nanos_per_call" | "kernel_ratio" | "blocked_ratio" | "alloc_ratio" | "spent_ratio" | "method_ratio" | "faults_per_second" | "faults_per_new_page" | "anchor_depth" | "frames_ratio" | "bytes_per_object" | "alloc_bytes_per_second" | "argument_value" | "calls_per_socket_read" | "writes_per_call" | "written_bytes_per_call" | "gc_ratio" | "humongous_pauses" | "interpreted_ratio" | "largest_part" | "own_code_ratio" | "inferred_ratio" | "queued_ratio" | "held_ratio" | "request_ratio" | "holder_ratio" | "known_holder_ratio";

/** What a descriptor refers to. */
export type FileKind = "none" | "regular" | "directory" | "socket" | "pipe" | "char_device" | "block_device" | "anonymous";

/** A cause with its place, its evidence and the expected saving of a fix. */
export type Finding = {
  /** Number of the finding in this answer, from 1: `--report 1`. */
  rank: number,
  /** The detector. */
  detector: string,
  /** The problem in a few words. */
  title: string,
  /** How certain the finding is. */
  confidence: Confidence,
  /** The conditions on the data, and their results. */
  criteria: Array<Criterion>,
  /** The value "Spent here". */
  spent: Spent,
  /** The value "Expected saving". `None`: the data for a range is missing, see `saving_note`. */
  expected: ExpectedSaving | null,
  /** The model's assumption, or why there is no prediction. */
  saving_note: string,
  /** Fixed cost or cost per unit of work. `None`: the program did not report its work. */
  unit_cost: UnitCost | null,
  /** The heaviest function of the pattern, as displayed. */
  anchor: string,
  /** The caller. */
  calling: CallingPlace,
  /** The line to edit. */
  site: SiteAnswer,
  /** Values that support the finding, with units. */
  evidence: Array<Evidence>,
  /** The fix. */
  fix: string,
  /** Facts that a profile cannot show and that a person must check before the change. */
  check_first: Array<string>,
  /** The page of the user's guide: `findings/unbuffered-write.md`. */
  page: string,
  /** Filter expression that selects the finding's samples. */
  filter: string,
  /** Whether the fix can be tried without an edit. */
  trial: TrialAnswer,
  /** The result of the last trial. `None`: not tried. */
  tried: Tried | null, };

/** The answer of [`findings`](crate::findings()). */
export type FindingsView = {
  /** The view's name. */
  view: string,
  /** Filter expression that selects the samples. `None`: all samples. */
  filter: string | null,
  /** Information that the findings themselves do not show. */
  notes: Array<string>,
  /** The work threads, which are the base of shares. */
  work: Work,
  /** Warnings about the data, the most severe first. They come before the findings. */
  quality: Array<QualityFinding>,
  /** The findings, the largest expected saving first. Findings without a model of the saving are sorted by their share. Hot paths come after known causes, but before small ones. */
  findings: Array<Finding>,
  /** The last result of a trial of several findings together. `None`: they were not tried together. */
  tried_together: TriedTogether | null,
  /** Matches of a detector that are too small for a finding. */
  minor: Array<Minor>,
  /** Matches of a detector that a condition denied, with a large share that no finding covers. */
  denied: Array<Denied>,
  /** The lengths of the parts of these lists that are not in the answer. */
  left_out: LeftOut,
  /** Share of the work threads' CPU time that all findings cover. The shares of findings must not be added up. */
  union_ratio: number,
  /** Functions with a large inclusive share, but only with small paths. */
  scattered: Array<Scattered>,
  /** Fixed cost and cost per unit of work. `None`: the program did not report its work. */
  units: WorkUnits | null,
  /** The function with the most CPU time outside all findings. `None`: findings cover all CPU time. */
  largest_unexplained: Unexplained | null,
  /** Share of the work threads' CPU time on stacks without a frame of the program or its libraries. No finding can explain it. */
  unplaced_ratio: number,
  /** The innermost function with the most CPU time on such stacks, often code that the JVM generated, such as its SHA-512. `None`: all stacks have a frame of the program or its libraries. */
  largest_unplaced: Unexplained | null,
  /** Number of patterns with all required data. */
  checked_count: number,
  /** Kinds of problems for which there is no pattern. They are the same for all experiments. */
  unknown_classes: Array<string>,
  /** Detectors with missing data. */
  not_checked: Array<NotChecked>,
  /** The guide pages of the findings, by detector. Missing: not requested. */
  guides?: { [key in string]: Array<GuideBlock> }, };

/** The answer of [`flame_graph`](crate::flame_graph::flame_graph()). */
export type FlameGraphView = {
  /** The metric's name. */
  metric: string,
  /** The metric's title. */
  title: string,
  /** Unit of all values. */
  unit: Unit,
  /** The direction of the graph. */
  direction: Direction,
  /** The function at the root. Missing if the root is `<Total>`. */
  root: string | null,
  /** Value of the graph's root. */
  total: number,
  /** Value of the zoomed box, which is as wide as the picture. */
  shown_total: number,
  /** Value of all samples that match the filter, including samples that are not shown. */
  base_total: number,
  /** Number of rows with boxes, counted from the zoomed box. Rows that were not requested are included. */
  row_count: number,
  /** The function names of the boxes and matches, by function number. */
  names: { [key in number]: string },
  /** The steps from the graph's root to the zoomed box, both included. */
  zoom_path: Array<ZoomStep>,
  /** The result of the search. Missing if the request has no search. */
  search: SearchResult | null,
  /** True if frames of frameworks are folded. */
  has_folded: boolean,
  /** True if the waits of idle threads are left out. */
  leaves_out_idle: boolean,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** Which value of a function a column shows. */
export type Flavour = "exclusive" | "inclusive" | "attributed" | "plain";

/** How the code of a frame was executing. */
export type FrameKind = "pseudo" | "interpreted" | "c1" | "jit" | "inlined" | "jvm" | "native" | "kernel" | "stub" | "truncated";

/** The answer of [`function_details`](function_details()). */
export type FunctionDetailsView = {
  /** The columns of `values`. */
  columns: Array<Column>,
  /** The name, without the signature if overloads are merged. */
  function: string,
  /** Exclusive and inclusive values, as numbers and as shares of the total. */
  values: Values,
  /** The functions with this name. */
  functions: Array<FunctionFields>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** Facts about a function. */
export type FunctionFields = {
  /** The name as shown. */
  function: string,
  /** The internal name from the JVM, or the mangled name from the linker. */
  internal_name: string,
  /** Kind of code. */
  kind: FunctionKind,
  /** Source file name. Missing if unknown. */
  source_file: string | null,
  /** First source line. Missing if unknown. */
  first_line: number | null,
  /** The class file or object file that contains the compiled code. Missing if unknown. */
  object_file: string | null,
  /** The file from which the code was loaded: shared library, jar, module. Missing if unknown. */
  load_object: string | null,
  /** GNU build id of an ELF load object. Missing if unknown. */
  build_id: string | null,
  /** Address of the machine code. Missing if unknown, or if the code can move. */
  address: number | null,
  /** Size of the machine code. Missing if unknown. */
  size_bytes: number | null,
  /** Size of the method's bytecode, on which the JVM's limits for inlining and compilation depend. Missing if unknown, and for functions that are not Java. */
  bytecode_bytes: number | null,
  /** Other functions at the same address. */
  aliases: Array<string>,
  /** Other functions with the same name and another signature. */
  overloads: Array<string>, };

/** The kind of code of a function. */
export type FunctionKind = "pseudo" | "java" | "native" | "jvm" | "kernel" | "stub";

/** One function. */
export type FunctionRow = {
  /** The name as shown. */
  function: string,
  /** Kind of code. */
  kind: FunctionKind,
  /** Path of the file that contains the function. Missing if unknown, and for a pseudo-function. */
  binary: string | null, } & Values;

/** The answer of [`functions`](functions()). */
export type FunctionsView = {
  /** The columns of `total` and of each row. */
  columns: Array<Column>,
  /** The values of all samples. They are the base of percentages. */
  total: Values,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** Functions with a value in one of the columns. */
  rows: Array<FunctionRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** How a saving is predicted. Shares refer to the time of `endpoint`, even if the detector's measure is another quantity. */
export type GainModel = "call" | "method" | "collector" | "none";

/** A part of a guide page. */
export type GuideBlock = {
  /** What the texts are. */
  kind: GuideBlockKind,
  /** The items of a list. Other blocks have one text. */
  texts: Array<string>, };

/** The kind of a part of a guide page. */
export type GuideBlockKind = "heading" | "paragraph" | "list" | "code";

/** The answer of [`heat_map`](heat_map()). */
export type HeatMapHeader = {
  /** The metric's name. */
  metric: string,
  /** The metric's title. */
  title: string,
  /** Unit of all values. */
  unit: Unit,
  /** End of the run, in nanoseconds since its start. */
  to_ns: number,
  /** Time of a column. */
  column_ns: number,
  /** Number of columns. */
  columns: number,
  /** Number of rows. The time of a row is `column_ns / rows`. */
  rows: number,
  /** The largest value of a cell. */
  most: number,
  /** The sum of all cells. */
  total: number,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** The machine. */
export type Host = {
  /** Host name. */
  name: string,
  /** Kernel release, as `uname -r` prints it. */
  kernel: string,
  /** Number of online CPUs. */
  cpu_count: number,
  /** The kernel's timer ticks per second. Missing: unknown. */
  tick_hz: number | null, };

/** The observed JVM. */
export type Jvm = {
  /** Name, for example `OpenJDK 64-Bit Server VM`. */
  name: string,
  /** Version text. */
  version: string,
  /** JVM arguments as written on the command line, with the same replacements as in [`Manifest::command`]. */
  arguments: string,
  /** True if lines are exact (`DebugNonSafepoints`), false if lines of compiled code can be wrong by a few lines. Missing: unknown. */
  has_exact_lines: boolean | null, };

/** What a JVM did. */
export type JvmEventKind = "safepoint" | "gc_pause" | "gc_phase" | "gc_concurrent" | "allocation_stall" | "code_cache" | "deoptimization";

/** The mean time per request of one kind. */
export type KindDifference = {
  /** The kind. */
  kind: RequestTimeKind,
  /** Mean time per slow request. */
  slowest_ns: number,
  /** Mean time per other request. */
  others_ns: number,
  /** The time of the slowest minus that of the others. */
  difference_ns: number, };

/** A request, or several requests of the same name with similar lengths. */
export type LaneRequest = {
  /** The method and the path, or the name of the task or message. */
  name: string,
  /** When the server read the first bytes, in nanoseconds since the experiment's start. */
  start_ns: number,
  /** When the server had written the last bytes of the answer. */
  end_ns: number,
  /** Number of requests. */
  requests_count: number,
  /** Row of the threads table: the thread that read the first bytes. */
  thread: number,
  /** The thread's name. Empty if unknown. */
  thread_name: string,
  /** True if no other thread of the experiment has this name. */
  has_own_name: boolean, };

/** A time in which the JVM had stopped all Java threads. */
export type LaneStop = {
  /** `gc_pause` if the collector worked in it, otherwise `safepoint`. */
  kind: JvmEventKind,
  /** The name of the collector's pause, otherwise of the safepoint. */
  name: string,
  /** Start, in nanoseconds since the experiment's start. */
  start_ns: number,
  /** End. */
  end_ns: number,
  /** Part of the stop: the time until the last thread had stopped. 0 if unknown. */
  reaching_ns: number, };

/** The meaning of the numbers of lanes. */
export type LanesHeader = {
  /** Start, in nanoseconds since the experiment's start. */
  from_ns: number,
  /** End. */
  to_ns: number,
  /** Length of a bin. */
  bin_ns: number,
  /** Number of bins. */
  bins: number,
  /** The stops. Missing: the JVM reported no stop in the whole experiment. */
  stops: StopsLane | null,
  /** The requests. Missing: the experiment has no requests. */
  requests: RequestsLane | null,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** How many elements of the lists are not in the answer, because the lists are long. */
export type LeftOut = {
  /** Findings. */
  findings: number,
  /** Patterns that are too small for a finding. */
  minor: number,
  /** Denied candidates. */
  denied: number, };

/** The place in a third-party library. */
export type LibraryPlace = {
  /** The function as displayed. */
  function: string,
  /** Source file without folders. `None`: unknown. */
  file: string | null,
  /** Source line. `None`: unknown. */
  line: number | null,
  /** File name of the jar. `None`: unknown. */
  jar: string | null, };

/** A line's share of a finding. */
export type LinePart = {
  /** Source line. `None`: unknown. */
  line: number | null,
  /** The line's share of the finding. */
  ratio: number, };

/** One source line of a function. If the line is unknown, the row is one bytecode index. */
export type LineRow = {
  /** The function's name as shown. */
  function: string,
  /** Source file name. Missing if unknown. */
  source_file: string | null,
  /** Line, counted from 1. Missing if unknown. */
  line: number | null,
  /** Bytecode index. Missing if unknown, or if the line is known. */
  bytecode_index: number | null, } & Values;

/** The answer of [`lines`](lines()). */
export type LinesView = {
  /** The columns of `total` and of each row. */
  columns: Array<Column>,
  /** The values of all samples. They are the base of percentages. */
  total: Values,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** Lines with a value in one of the columns. */
  rows: Array<LineRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** A function in a listing. */
export type ListedFunction = {
  /** The name as shown. */
  function: string,
  /** True if the request named this function. */
  is_asked: boolean,
  /** The row at which the function's code begins. Missing if unknown. */
  first_row: number | null, } & Values;

/** Code with the cost of its rows. */
export type Listing = {
  /** Kind of code in this listing. */
  kind: ListingKind,
  /** Why the listing does not have the preferred kind of code, and notes about costs. Missing if there are no notes. */
  why: string | null,
  /** Name of the source file without folders. For native code, this is the file's path at compile time. Missing if unknown. */
  source_file: string | null,
  /** The file that contains the text. Missing if the text is from the experiment's archive, or if there is no text. */
  path: string | null,
  /** The functions with cost in these rows: all functions of a source file, or the function of the instructions. */
  functions: Array<ListedFunction>,
  /** The total cost of these functions. It is the sum of the exclusive values of all rows. */
  values: Values,
  /** The rows in the order of the code. */
  rows: Array<SourceRow>, };

/** The kind of code in a listing. */
export type ListingKind = "java_source" | "native_source" | "bytecode" | "disassembly" | "none";

/** A loss with its reason in words. */
export type LossLine = {
  /** The reason in words. */
  description: string,
  /** Why data is missing. */
  reason: LossReason,
  /** Number of affected samples, or of affected places in the input. */
  count: number,
  /** Affected CPU time, if known. */
  cpu_ns?: number,
  /** Affected bytes of the input, if known. */
  input_bytes?: number, };

/** Why a sample, a frame or a part of the input is missing. */
export type LossReason = "none" | "depth_limit" | "unwalkable_java" | "unwalkable_native" | "no_frames" | "gc_active" | "deoptimization" | "unsymbolised" | "profiler_busy" | "damaged_input" | "unfinished_chunk" | "before_agent" | "after_agent" | "missing_entry" | "failed_sample" | "storage_limit" | "no_handler" | "signal_failed" | "unanswered" | "thread_ended" | "events_overflow" | "no_mapping" | "stack_copy_limit" | "no_unwind_information" | "still_waiting" | "account_table_full" | "skipped_runs" | "thread_table_full" | "compat_calls" | "unseen_requests" | "unsure_items" | "half_waits";

/** The quantity that a detector adds up. */
export type Measure = "cpu" | "elapsed" | "alloc_bytes";

/** A metric and its sum over all samples. */
export type MetricLine = { name: string, title: string, unit: Unit, total: number, shown: Shown,
/** Whether another metric contains this metric's values. */
is_part: boolean, };

/** A match of a detector that is too small for a finding. */
export type Minor = {
  /** The detector. */
  detector: string,
  /** The problem in a few words. */
  title: string,
  /** The calling method, as displayed. */
  function: string,
  /** Source file without folders. `None`: unknown. */
  file: string | null,
  /** The line with the largest share. `None`: unknown. */
  line: number | null,
  /** The share of the work threads' total in `measure`. */
  program_ratio: number,
  /** The measure of the share. */
  measure: Measure,
  /** The expected saving. `None`: unknown. */
  expected: ExpectedSaving | null, };

/** Cost that moved below one function. */
export type MovedCost = {
  /** The function with unchanged cost. */
  under: string,
  /** Functions that cost less, the largest change first. */
  from: Array<string>,
  /** Functions that cost more, the largest change first. */
  to: Array<string>,
  /** The amount that moved, in the unit of the metric. */
  value: number, };

/** The executions of a statement per request. */
export type NamedStatements = {
  /** The SQL without literals. Empty: all statements. */
  name: string,
  /** Mean number of executions per slow request. */
  slowest_per_request: number,
  /** Mean number of executions per other request. */
  others_per_request: number,
  /** Mean time per slow request. */
  slowest_ns: number,
  /** Mean time per other request. */
  others_ns: number,
  /** The time of the slowest minus that of the others. */
  difference_ns: number, };

/** A detector that could not be checked. */
export type NotChecked = {
  /** The detector. */
  detector: string,
  /** The problem in a few words. */
  title: string,
  /** The missing data and how to get it. The words continue the sentence "needs ". */
  needs: string, };

/** Another line that may have to be edited. */
export type OtherSite = {
  /** `c01.Slow$CrcOut.<init>`. */
  function: string,
  /** Source file without folders. `None` if unknown. */
  file: string | null,
  /** Line. `None` if the class was compiled without lines. */
  line: number | null,
  /** The code on the line in words. */
  what: string, };

/** The answer of [`overview`](overview()). */
export type OverviewView = {
  /** The program that wrote the experiment. */
  written_by: Program,
  /** Whether the collection is complete. */
  state: State,
  /** The command line. Empty if unknown. */
  command: Array<string>,
  /** Elapsed time. */
  duration_ns: number,
  /** Start time in nanoseconds since 1970-01-01 UTC. Missing if unknown. */
  start_wall_ns: number | null,
  /** How the program ended. Missing if the program is still running, or if unknown. */
  exit: ExitStatus | null,
  /** The machine. Missing if unknown. */
  host: Host | null,
  /** The JVM. Missing if unknown, or if there is no JVM. */
  jvm: Jvm | null,
  /** Number of selected samples. */
  samples_count: number,
  /** Number of threads with samples. */
  threads_count: number,
  /** Number of threads in the table of threads: those with samples and, without a filter, those that only the kernel counted. */
  seen_threads_count: number,
  /** The processes, those with the most CPU time first. Missing if there is only one, and in the browser, whose engine must be small. Not limited by the filter. */
  processes?: Array<ProcessLine>,
  /** The columns of `totals`. */
  columns: Array<Column>,
  /** Sum of each metric. */
  totals: Values,
  /** Whose code was executed, and what threads waited for. Missing if there are no metrics, and in the browser, whose engine must be small. */
  time_breakdown?: TimeBreakdown,
  /** Share of the exact CPU time that samples with a rooted stack explain. Missing if there is no exact CPU time. */
  closure_ratio: number | null,
  /** Share of the exact CPU time that samples cover, with any stack. Missing if there is no exact CPU time. */
  coverage_ratio: number | null,
  /** The values that both ratios are computed from. Missing if there is no exact CPU time. */
  closure: Closure | null,
  /** Blocked time of all threads by reason, as counted by the kernel, the largest first. Empty if not counted. */
  blocked_by_reason: Array<ReasonTime>,
  /** Time in which threads could execute but no CPU was free, counted by the kernel. Missing if not counted. */
  run_queue_ns: number | null,
  /** Times in which the JVM had stopped all threads. Missing if the JVM reported none. */
  safepoints: PauseFigures | null,
  /** Pauses of the collector, inside safepoints. Missing if the JVM reported none. */
  gc_pauses: PauseFigures | null,
  /** System calls, counted by the kernel. Missing if not counted. */
  syscalls: StatSyscalls | null,
  /** Samples compared with the kernel's counts, by metric. */
  calibration: Array<CalibrationLine>,
  /** Values that the collectors cannot count. */
  not_counted: Array<string>,
  /** CPU time of whittle's BPF programs. This time is also part of the program's CPU time. Missing if unknown, or if there are no BPF programs. */
  whittle_cpu_ns: number | null,
  /** The profiler's signal handlers in the program's threads. Missing if not counted, and in the browser, whose engine must be small. */
  stack_cost?: StackCost,
  /** Missing data, grouped by reason. */
  losses: Array<LossLine>,
  /** The collectors, including those that were not available. */
  collectors: Array<Collector>,
  /** Why user and system CPU are not separated. Missing if they are separated, or if the reason is unknown. */
  why_no_system_cpu: string | null,
  /** Resources that the program used. Missing if not measured. */
  resources: ResourceUse | null,
  /** Work that the program reported. */
  units_of_work: Array<UnitOfWork>,
  /** The function of the program's own code with the largest value of the sort metric, with the code of others that it calls. Missing if no own code has a value, and in the browser. */
  hottest_own_function?: string,
  /** The functions with the largest values of the sort metric. */
  top_functions: Array<FunctionRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** A package's cost, including its calls to code outside the application. */
export type PackageCost = {
  /** The package, with dots. */
  package: string,
  /** Share of the work threads' CPU time. */
  ratio: number,
  /** The cost. */
  cost: UnitCost, };

/** The answer of [`packages`](packages()). */
export type Packages = {
  /** The view's name. */
  view: string,
  /** The names, as filters and transforms accept them. The package with the most functions comes first. */
  names: Array<string>, };

/** The kind of a value in a comparison. */
export type Part = "baseline" | "candidate" | "delta" | "ratio" | "both";

/** What a part of the critical path consists of. */
export type PathKind = "executing" | "runnable" | "others_executing" | "others_runnable" | "socket" | "disk" | "sleep" | "other" | "other_thread" | "unknown";

/** A part of the critical path. */
export type PathPart = {
  /** What it consists of. */
  kind: PathKind,
  /** The letter in the bar. */
  letter: string,
  /** The kind in words: `sockets`. */
  words: string,
  /** Its estimated time. */
  duration_ns: number,
  /** Its share of all parts. */
  ratio: number, };

/** Values of some events. */
export type PauseFigures = {
  /** Number of events. */
  events_count: number,
  /** Time of all events inside the range. */
  duration_ns: number,
  /** The longest event, with its part outside the range. */
  longest_ns: number,
  /** Time until the last thread had stopped; part of `duration_ns`. 0 if the events are not safepoints. */
  reaching_ns: number, };

/** Events of the same kind and name. */
export type PauseRow = {
  /** What the JVM did. */
  kind: JvmEventKind,
  /** The JVM's name of it. */
  name: string,
  /** The share of the time range. For events that can happen at the same time, this can be more than 1. */
  ratio: number | null,
  /** Number of events. */
  events_count: number,
  /** Time of all events inside the range. */
  duration_ns: number,
  /** The longest event, with its part outside the range. */
  longest_ns: number,
  /** Time until the last thread had stopped; part of `duration_ns`. 0 if the events are not safepoints. */
  reaching_ns: number, };

/** The answer of [`pauses`](pauses()). */
export type PausesView = {
  /** Length of the time range: the filter's range, otherwise the whole experiment. */
  range_ns: number,
  /** All safepoints: the time in which all threads were stopped. */
  stopped: PauseFigures,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** The rows. They overlap. */
  rows: Array<PauseRow>,
  /** The safepoints for which the JVM waited longest, the longest first. */
  slow_safepoints: Array<SlowSafepoint>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** The unit by which all values are divided. */
export type PerAnswer = {
  /** The unit as text: `per message`. */
  words: string, } & ({ "kind": "unit", "unit": string } | { "kind": "second" } | { "kind": "cpu_second" } | { "kind": "run" });

/** The base of percentages in a call tree. */
export type PercentOf = "root" | "parent";

/** The mean time per request at a place. The place is the calling code: the deepest method outside the JDK. */
export type PlaceDifference = {
  /** What the thread did there. */
  kind: RequestTimeKind,
  /** What the thread waited for, as in the filter `wait is lock`. Missing if it did not wait, or waited for a CPU. */
  wait: string | null,
  /** How the thread executed: `user`, `kernel`, or `page_fault`. Missing if it did not execute, or if there are no samples. */
  executes: string | null,
  /** The function. Missing if the stack contains no function of the program, or if there are no samples. */
  function: string | null,
  /** Name of the source file. Missing: unknown. */
  source_file: string | null,
  /** Source line. Missing: unknown. */
  line: number | null,
  /** The file, or the peer of the socket, that the thread waited for. Empty: none or unknown. */
  file: string,
  /** Who held the lock in the slowest requests, and what this thread did meanwhile: `held by b in app.Cache.load(), while waiting for data from a socket`. Missing: this is no lock, or no holder is known. Only places with much of the difference have it. */
  holder: string | null,
  /** Number of samples in the slowest requests. */
  slowest_samples_count: number,
  /** Number of samples in the other requests. */
  others_samples_count: number,
  /** Mean time per slow request. */
  slowest_ns: number,
  /** Mean time per other request. */
  others_ns: number,
  /** The time of the slowest minus that of the others. */
  difference_ns: number, };

/** A process of the program. */
export type ProcessLine = {
  /** The process's id. Missing: rows that threads of several processes share. */
  process_id: number | null,
  /** The kernel's name of the process's first thread: the start of the program's name, unless the program changes it. In a container, the name of any of its threads. */
  name: string,
  /** The name of its Java program: a known launcher's program, otherwise the main class, module or jar. Missing if it is no JVM with visible Java methods, or if the experiment has one JVM. */
  program: string | null,
  /** Its JVM. Missing as above. */
  jvm: Jvm | null,
  /** CPU time that the scheduler counted for its threads. */
  cpu_ns: number,
  /** Number of rows of its threads. */
  threads_count: number, };

/** A program and its version. */
export type Program = {
  /** Name. */
  name: string,
  /** Version. */
  version: string, };

/** A warning about the data. */
export type QualityFinding = {
  /** The name of the warning: `closure`, `truncated_stacks`, `warm_up`, `other_processes`, `stolen`, `cpu_quota`, `jvm_pauses`, `few_samples`, `guessed_package`. */
  id: string,
  /** The severity. */
  severity: Severity,
  /** The problem with its values, and the remedy. */
  text: string, };

/** Time for one reason. */
export type ReasonTime = {
  /** Why threads did not execute. */
  reason: WaitReason,
  /** The time for this reason. */
  duration_ns: number, };

/** What a result with a remedy means. */
export type RemedyPromise = "kept" | "bound";

/** Values of some requests. */
export type RequestFigures = {
  /** Number of requests. */
  requests_count: number,
  /** Requests per second of the time range. Missing: the range has no length. */
  rate_per_second: number | null,
  /** The sum of the requests' lengths. Requests overlap, so this can be longer than the time range. */
  duration_ns: number,
  /** Mean length. Missing if there are no requests. */
  mean_ns: number | null,
  /** Half of the requests took at most this long. Missing if there are no requests. */
  p50_ns: number | null,
  /** 99 of 100 requests took at most this long. Missing if there are no requests. */
  p99_ns: number | null,
  /** Length of the longest request. */
  longest_ns: number,
  /** Requests with a status of at least 500: errors of the server. */
  errors_count: number,
  /** Requests with a status from 400 to 499: errors of the client. */
  client_errors_count: number,
  /** Mean bytes that the server read per request. Missing if there are no requests. */
  read_bytes_per_request: number | null,
  /** Mean bytes that the server wrote per request. Missing if there are no requests. */
  written_bytes_per_request: number | null,
  /** Requests with known times of their thread. */
  timed_count: number,
  /** Requests without times, because another thread answered. */
  other_thread_count: number,
  /** Requests without times, because their thread was not busy with them alone. */
  interleaved_count: number,
  /** Mean times per request with known times. Missing if there are no such requests. */
  times: RequestKindTimes | null,
  /** Where the length of all requests goes. */
  shares: RequestShares,
  /** The statements of JDBC that threads executed for these requests. Missing if statements are not seen for any of them. */
  statements: StatementFigures | null, };

/** Time of each kind, in nanoseconds: a sum, or a mean per request. */
export type RequestKindTimes = {
  /** The thread executed. */
  on_cpu_ns: number,
  /** The thread was able to execute, but no CPU was free. */
  runnable_ns: number,
  /** The thread waited for a lock, for a task, or for the end of a time limit. */
  futex_ns: number,
  /** The thread waited for a socket. */
  socket_ns: number,
  /** The thread waited for a disk. */
  disk_ns: number,
  /** The thread slept. */
  sleep_ns: number,
  /** The thread waited for something else. */
  other_ns: number,
  /** No thread worked for the request. */
  away_ns: number, };

/** Requests with the same name and port. */
export type RequestRow = {
  /** The method and the path. */
  name: string,
  /** The port on which the server listens. */
  port: number,
  /** The share of the length of all requests. Missing if this length is 0. */
  ratio: number | null,
  /** Number of requests. */
  requests_count: number,
  /** Requests per second of the time range. Missing: the range has no length. */
  rate_per_second: number | null,
  /** The sum of the requests' lengths. Requests overlap, so this can be longer than the time range. */
  duration_ns: number,
  /** Mean length. Missing if there are no requests. */
  mean_ns: number | null,
  /** Half of the requests took at most this long. Missing if there are no requests. */
  p50_ns: number | null,
  /** 99 of 100 requests took at most this long. Missing if there are no requests. */
  p99_ns: number | null,
  /** Length of the longest request. */
  longest_ns: number,
  /** Requests with a status of at least 500: errors of the server. */
  errors_count: number,
  /** Requests with a status from 400 to 499: errors of the client. */
  client_errors_count: number,
  /** Mean bytes that the server read per request. Missing if there are no requests. */
  read_bytes_per_request: number | null,
  /** Mean bytes that the server wrote per request. Missing if there are no requests. */
  written_bytes_per_request: number | null,
  /** Requests with known times of their thread. */
  timed_count: number,
  /** Requests without times, because another thread answered. */
  other_thread_count: number,
  /** Requests without times, because their thread was not busy with them alone. */
  interleaved_count: number,
  /** Mean times per request with known times. Missing if there are no such requests. */
  times: RequestKindTimes | null,
  /** Where the length of all requests goes. */
  shares: RequestShares,
  /** The statements of JDBC that threads executed for these requests. Missing if statements are not seen for any of them. */
  statements: StatementFigures | null, };

/** The parts of the length of all requests. They add up to 1, or they are all 0 if the length is 0. */
export type RequestShares = {
  /** The thread executed. */
  on_cpu_ratio: number,
  /** The thread was able to execute, but no CPU was free. */
  runnable_ratio: number,
  /** The thread waited for a lock, for a task, or for the end of a time limit. */
  futex_ratio: number,
  /** The thread waited for a socket. */
  socket_ratio: number,
  /** The thread waited for a disk. */
  disk_ratio: number,
  /** The thread slept. */
  sleep_ratio: number,
  /** The thread waited for something else. */
  other_ratio: number,
  /** No thread worked for the request. */
  away_ratio: number,
  /** Unknown: requests without times of their thread. */
  unknown_ratio: number, };

/** A kind of time of a request's thread. */
export type RequestTimeKind = "on_cpu" | "runnable" | "futex" | "socket" | "disk" | "sleep" | "other" | "away";

/** The requests of a time range. */
export type RequestsLane = {
  /** Number of requests that overlap the time range. */
  requests_count: number,
  /** The longest request of each bin. */
  longest: Array<LaneRequest>, };

/** The answer of [`requests`](requests()). */
export type RequestsView = {
  /** Length of the time range: the filter's range, otherwise the whole experiment. */
  range_ns: number,
  /** All selected requests. */
  total: RequestFigures,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** The rows. */
  rows: Array<RequestRow>,
  /** All selected statements of JDBC. They are parts of requests, so they are not in `total`. */
  statement_total: RequestFigures,
  /** Number of rows of statements before the limit is applied. */
  statement_row_count: number,
  /** The statements, each text as a row. */
  statements: Array<RequestRow>,
  /** Whether the requests came to several ports. */
  has_ports: boolean,
  /** The slowest requests of one name, compared with its other requests. Missing if they are not requested, or if no other requests exist. */
  slowest: SlowestRequests | null,
  /** Time of threads by endpoint, from samples. Missing if requests have known times, or if no stack contains a known server or framework. */
  endpoints: Endpoints | null,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** Resources that the program used during the collection. */
export type ResourceUse = {
  /** Elapsed time. */
  real_ns: number,
  /** CPU time in user mode. */
  user_ns: number,
  /** CPU time in the kernel. */
  system_ns: number,
  /** Largest resident memory. Missing: not measured. */
  peak_rss_bytes: number | null,
  /** Mean resident memory. Missing: not measured. */
  mean_rss_bytes: number | null,
  /** Context switches because the thread waited. Missing: not measured. */
  voluntary_switches: number | null,
  /** Context switches because another thread took the CPU. Missing: not measured. */
  involuntary_switches: number | null,
  /** Page faults without disk access. Missing: not measured. */
  minor_faults: number | null,
  /** Page faults with disk access. Missing: not measured. */
  major_faults: number | null,
  /** Garbage collections. Missing: not measured. */
  gc_count: number | null,
  /** Elapsed time of garbage collections. Missing: not measured. */
  gc_ns: number | null,
  /** Bytes allocated on the Java heap, estimated from samples. Missing: not measured. */
  allocated_bytes: number | null,
  /** Objects created on the Java heap, estimated from samples. Missing: not measured. */
  allocated_objects_count: number | null,
  /** Time that threads waited for a free CPU, summed over all threads. Missing: not measured. */
  run_queue_ns: number | null,
  /** Time that threads were blocked, summed over all threads. Missing: not measured. */
  blocked_ns: number | null, };

/** The meaning of a row. */
export type RowKind = "source" | "instruction" | "unplaced";

/** A function with a large total cost and a small cost on each path. */
export type Scattered = {
  /** The function as displayed. */
  function: string,
  /** Inclusive share of the work threads' CPU time. */
  ratio: number,
  /** Number of paths that lead to the function. */
  paths_count: number,
  /** The largest path's share. */
  largest_path_ratio: number,
  /** The rank of the finding that covers most of the cost. `None`: no finding. */
  finding: number | null, };

/** A match. */
export type SearchMatch = {
  /** Node of the match. */
  node: number,
  /** Number of rows below the graph's root. It does not depend on the zoom. */
  row: number,
  /** Number of the function. */
  function: number,
  /** Inclusive value. */
  value: number, };

/** The result of a search. */
export type SearchResult = {
  /** The regular expression. */
  pattern: string,
  /** Weight of all stacks in the graph with a match. Each stack is counted once. */
  matched_weight: number,
  /** `matched_weight` as a share of the graph's total. Missing if the total is 0. */
  matched_ratio: number | null,
  /** Weight of the stacks with a match at or below the zoomed box. */
  shown_matched_weight: number,
  /** `shown_matched_weight` as a share of the zoomed box. Missing if the box's value is 0. */
  shown_matched_ratio: number | null,
  /** Number of outermost matches. If boxes are merged, only drawn boxes are examined. */
  match_count: number,
  /** Number of functions with a matching name in the shown stacks. */
  function_count: number,
  /** The heaviest of these matches, at most 1000, the largest first. */
  matches: Array<SearchMatch>, };

/** The values of a finding on one side. */
export type SeenOnSide = {
  /** Number of the side's runs with the finding. 0: the pattern is too small for a finding in all runs. */
  runs_count: number,
  /** Share of the side's total in the measure, from 0 to 1: the mean of the runs with the finding, or with the small pattern. */
  ratio: number, };

/** The severity of a warning. */
export type Severity = "serious" | "note";

/** When views show a metric. */
export type Shown = "by_default" | "beside_default" | "when_asked";

/** The line to edit, or the reason why it is missing. */
export type SiteAnswer = { "state": "found" } & EditSite | { "state": "not_found",
/** The reason, and what to search for. The words continue the sentence "site not found: ". */
reason: string, } | { "state": "none" };

/** A safepoint for which the JVM waited long. */
export type SlowSafepoint = {
  /** When the JVM requested the safepoint, in nanoseconds since the experiment's start. */
  start_ns: number,
  /** The JVM's reason. */
  name: string,
  /** Time until the last thread had stopped. */
  reaching_ns: number,
  /** The thread that executed last in this time, and so probably stopped last. Missing if no sample shows it. */
  thread: string | null,
  /** The function that this thread executed. */
  function: string | null, };

/** A slow request with a trace. */
export type SlowTrace = {
  /** The id of the trace, 32 hexadecimal digits. */
  trace: string,
  /** The length of the request. */
  length_ns: number,
  /** When the request began, in nanoseconds since the experiment's start. */
  start_ns: number, };

/** The slowest requests of a name, compared with the others of this name. */
export type SlowestRequests = {
  /** The requested share or number: `1 %`, `20`. */
  asked: string,
  /** The method and the path. */
  name: string,
  /** The port on which the server listens. */
  port: number,
  /** The largest difference, as a sentence. */
  summary: string,
  /** The slowest requests. */
  slowest: RequestFigures,
  /** The other requests. */
  others: RequestFigures,
  /** The mean length of the slowest requests minus that of the others. */
  longer_ns: number,
  /** Differences of the kinds of time, the largest first. If the slowest requests wait longer for a CPU because they execute longer, executing comes first. Empty if the times of the slowest or of the others are unknown. */
  kinds: Array<KindDifference>,
  /** Number of places before the limit is applied. */
  place_count: number,
  /** Differences of places in code, the largest first. */
  places: Array<PlaceDifference>,
  /** The stops of the JVM. Missing if the JVM reported no stops. */
  stops: StopDifference | null,
  /** The statements of JDBC. Missing if statements are not seen for these requests, or if there are none. */
  statements: StatementDifference | null,
  /** The traces of OpenTelemetry of the slowest requests, the longest first. Only the first ones are here. */
  traces: Array<SlowTrace>, };

/** One row of code. */
export type SourceRow = {
  /** Kind of the row. */
  kind: RowKind,
  /** Source line, counted from 1. Missing if unknown. */
  line: number | null,
  /** Bytecode index. Missing if unknown, or if the row is not bytecode. */
  bytecode_index: number | null,
  /** Address in the binary's file. Missing if unknown, or if there is no machine code. */
  address: number | null,
  /** The line or instruction. Empty if no code was found. */
  text: string, };

/** The answer of [`source`](source()). */
export type SourceView = {
  /** The columns of all values. */
  columns: Array<Column>,
  /** The values of all samples. They are the base of percentages. */
  total: Values,
  /** The name, without signature if overloads are merged. */
  function: string,
  /** The function's values. */
  values: Values,
  /** The function's code, at least one listing. */
  listings: Array<Listing>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** A finding's share with its interval. It refers to this experiment only. */
export type Spent = {
  /** The measure. */
  measure: Measure,
  /** Share of the base `of`. */
  ratio: number,
  /** Lower end of the 95 % interval (Wilson, widened for bursts). */
  low_ratio: number,
  /** Upper end of the interval. */
  high_ratio: number,
  /** The base of the share: `CPU time of main after the warm-up`. */
  of: string,
  /** The amount: nanoseconds, or bytes for `alloc_bytes`. */
  value: number,
  /** Number of samples in the sum. */
  samples_count: number,
  /** Share of the total over all work threads. */
  program_ratio: number,
  /** For elapsed time: the share in each group of threads, weighted by the groups' CPU time. Many threads that wait for others all the time have a small weight. For other measures, the same as `program_ratio`. */
  work_ratio: number, };

/** The answer of [`stack_at`](stack_at()). */
export type StackAtView = {
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  view_mode: ViewMode,
  /** The filter as written. Missing if all samples are used. */
  filter: string | null,
  /** The transforms of the shown stacks, in order. */
  transforms: Array<TransformLine>,
  /** Row of the threads table. */
  thread: number,
  /** The thread's name. Empty if unknown. */
  thread_name: string,
  /** End of the sampled wait, call or CPU time, nanoseconds since the experiment's start. If the start is missing: when the sample was taken. */
  time_ns: number,
  /** Its start. Missing: only the weight of the sample is known, which also represents other waits or calls. */
  start_ns: number | null,
  /** The observed event. */
  event: EventKind,
  /** The processor's mode. */
  mode: CpuMode,
  /** Why the thread was blocked. */
  reason: WaitReason,
  /** The weight of the sample. */
  weight: number,
  /** The unit of the weight. */
  unit: Unit,
  /** The shown frames, outermost first. */
  frames: Array<StackFrame>, };

/** The answer of [`stack_chart`](stack_chart()). */
export type StackChartView = {
  /** The name of the thread or the group. Empty if unknown. */
  name: string,
  /** Number of threads that the chart shows. */
  threads_count: number,
  /** True if the chart shows several rows of the threads table. It then shows waits only where no thread used a CPU. */
  is_group: boolean,
  /** Start, in nanoseconds since the experiment's start. */
  from_ns: number,
  /** End. */
  to_ns: number,
  /** Number of bins. */
  bins: number,
  /** Number of rows with boxes. */
  row_count: number,
  /** The function names of the boxes, by function number. */
  names: { [key in number]: string },
  /** True if frames of frameworks are folded. */
  has_folded: boolean,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** The profiler's signal handlers in the program's threads, as the kernel side counted them. A handler takes a stack. */
export type StackCost = {
  /** The number of handlers that returned. */
  handlers_count: number,
  /** CPU time in these handlers, in nanoseconds. The kernel's work to call and to leave a handler is not part of it. */
  cpu_ns: number, };

/** A frame of a stack. */
export type StackFrame = {
  /** The function's name as shown. */
  function: string,
  /** How the code was executing. */
  kind: FrameKind,
  /** Source line. Missing if unknown. */
  line: number | null,
  /** Bytecode index. Missing if unknown, or if the frame is not Java. */
  bytecode_index: number | null, };

/** One stack. */
export type StackRow = {
  /** Names of the functions, the innermost first. */
  frames_leaf_first: Array<string>, } & Values;

/** The answer of [`stacks`](stacks()). */
export type StacksView = {
  /** The columns of all rows. */
  columns: Array<Column>,
  /** The values of all samples. They are the base of percentages. */
  total: Values,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** Different stacks with a value in one of the columns. */
  rows: Array<StackRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** One system call, with the sums of all threads and files. */
export type StatCall = {
  /** Name of the system call. */
  call: string,
  /** Number of calls. */
  calls_count: number,
  /** Number of calls per second. */
  calls_per_second: number | null,
  /** Mean bytes per call. Missing if the calls moved no bytes. */
  bytes_per_call: number | null,
  /** Elapsed time. */
  duration_ns: number, };

/** System calls of all threads. */
export type StatSyscalls = {
  /** Number of calls. */
  calls_count: number,
  /** Number of calls per second. */
  calls_per_second: number | null,
  /** Number of calls that returned an error. */
  errors_count: number,
  /** Bytes that the calls moved. */
  bytes: number,
  /** Mean bytes per call, of the calls that move bytes. Missing if there are no such calls. */
  bytes_per_call: number | null,
  /** Total elapsed time in the calls of all threads. */
  duration_ns: number,
  /** The calls with the most time. */
  top_by_time: Array<StatCall>, };

/** Whether a collection was completed. */
export type State = "incomplete" | "complete";

/** The statements of the slowest requests, compared with those of the others. */
export type StatementDifference = {
  /** Number of different statements before the limit is applied. */
  name_count: number,
  /** Each statement, the largest difference of time first. */
  by_name: Array<NamedStatements>,
  /** Number of statements whose request is known. Only these are in `by_name`. */
  known_count: number,
  /** Number of all statements. */
  statements_count: number,
  /** The SQL without literals. Empty: all statements. */
  name: string,
  /** Mean number of executions per slow request. */
  slowest_per_request: number,
  /** Mean number of executions per other request. */
  others_per_request: number,
  /** Mean time per slow request. */
  slowest_ns: number,
  /** Mean time per other request. */
  others_ns: number,
  /** The time of the slowest minus that of the others. */
  difference_ns: number, };

/** The statements of JDBC that threads executed for some requests. */
export type StatementFigures = {
  /** Number of statements. */
  statements_count: number,
  /** The sum of their lengths. */
  duration_ns: number,
  /** Mean number of statements per request. */
  per_request: number,
  /** Mean length of a statement. Missing if there are no statements. */
  mean_ns: number | null, };

/** The stops of the JVM during the slowest requests, and during the others. A stop can be a part of any kind of time. */
export type StopDifference = {
  /** Number of slow requests with such a time. */
  slowest_requests_count: number,
  /** Number of other requests with such a time. */
  others_requests_count: number,
  /** The operation with the most of this time in the slowest requests: `Pause Full (System.gc())`. Missing: none. */
  operation: string | null,
  /** Whether the stops are the main reason: they explain at least as much of the difference as all other reasons together can. */
  is_main_reason: boolean,
  /** Mean time per slow request. */
  slowest_ns: number,
  /** Mean time per other request. */
  others_ns: number,
  /** The time of the slowest minus that of the others. */
  difference_ns: number, };

/** The stops of a time range. */
export type StopsLane = {
  /** Number of stops that overlap the time range. */
  stops_count: number,
  /** The longest stop of each bin, in the order of time. */
  longest: Array<LaneStop>, };

/** One function. */
export type Suggestion = {
  /** The name as shown. */
  function: string,
  /** Kind of code. */
  kind: FunctionKind,
  /** Inclusive value of the sort metric as a share of the total. Missing if the total is 0. */
  inclusive_ratio: number | null, };

/** The answer of [`suggest`](suggest()). */
export type Suggestions = {
  /** The view's name. */
  view: string,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** Functions of the shown stacks, by inclusive value, the largest first. */
  rows: Array<Suggestion>, };

/** Values of some calls. */
export type SyscallFigures = {
  /** Number of calls. */
  calls_count: number,
  /** Number of calls that returned an error. */
  errors_count: number,
  /** Bytes that the calls moved. */
  bytes: number,
  /** Mean bytes per call, of all calls. Missing if there are no calls. */
  bytes_per_call: number | null,
  /** Elapsed time in the calls, executing and waiting. */
  duration_ns: number,
  /** Half of the calls took at most this long (interpolated). Missing if latencies are unknown. */
  p50_latency_ns: number | null,
  /** 99 of 100 calls took at most this long (interpolated). Missing if latencies are unknown. */
  p99_latency_ns: number | null,
  /** Time of the longest known call. */
  longest_ns: number,
  /** Number of sampled calls. */
  sampled_count: number,
  /** True if the values are estimates from samples, false if the kernel counted them. */
  is_estimate: boolean, };

/** A key that rows are grouped by. */
export type SyscallKey = "call" | "file" | "caller";

/** One row: calls with the same keys. */
export type SyscallRow = {
  /** The system call. Missing if rows are not grouped by system call. */
  call: string | null,
  /** Kind of file. Missing if rows are not grouped by file. */
  file_kind: FileKind | null,
  /** Path, or the peer of a socket. Empty if unknown, or if the call has no descriptor. Missing if rows are not grouped by file. */
  file: string | null,
  /** The calling function, `<not sampled>` or `<caller not known>`. Missing if rows are not grouped by caller. */
  caller: string | null,
  /** Number of calls. */
  calls_count: number,
  /** Number of calls that returned an error. */
  errors_count: number,
  /** Bytes that the calls moved. */
  bytes: number,
  /** Mean bytes per call, of all calls. Missing if there are no calls. */
  bytes_per_call: number | null,
  /** Elapsed time in the calls, executing and waiting. */
  duration_ns: number,
  /** Half of the calls took at most this long (interpolated). Missing if latencies are unknown. */
  p50_latency_ns: number | null,
  /** 99 of 100 calls took at most this long (interpolated). Missing if latencies are unknown. */
  p99_latency_ns: number | null,
  /** Time of the longest known call. */
  longest_ns: number,
  /** Number of sampled calls. */
  sampled_count: number,
  /** True if the values are estimates from samples, false if the kernel counted them. */
  is_estimate: boolean, };

/** The answer of [`syscalls`](syscalls()). */
export type SyscallsView = {
  /** The keys that rows are grouped by. */
  by: Array<SyscallKey>,
  /** Elapsed time of the experiment. */
  experiment_duration_ns: number,
  /** Values of all selected calls. */
  total: SyscallFigures,
  /** Mean bytes per call, of the calls that move bytes, as in the overview. Missing if there are no such calls. */
  bytes_per_moving_call: number | null,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** The rows. */
  rows: Array<SyscallRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** What kind of work a thread does. */
export type ThreadClass = "unknown" | "work" | "gc" | "jit_compiler" | "jvm_service";

/** Threads with similar names. */
export type ThreadGroup = {
  /** The name of the pool, as in the filter `pool is "pool-3-thread-#"`, or the name of a thread without a pool. */
  name: string,
  /** Number of threads. */
  threads_count: number,
  /** Share of the work threads' CPU time. */
  cpu_ratio: number, };

/** A thread or a pool of threads. */
export type ThreadRow = {
  /** Row of the threads table, as in the filter `thread = #12`. For a pool: the row of its first thread, as in the filter `pool is #12`. */
  thread_index: number,
  /** The name of the thread or the pool. Empty if unknown. */
  thread: string,
  /** True if no other thread or pool of the experiment has this name. A filter such as `thread = "main"` or `pool is "exec-#"` then selects only this row. */
  has_own_name: boolean,
  /** The name of the pool, as in the filter `pool is "pool-3-thread-#"`. Missing: the thread is in no pool. */
  pool: string | null,
  /** True if the row represents a pool. Its values are sums over its threads. */
  is_pool: boolean,
  /** 1 for a thread below the row of its pool, otherwise 0. */
  depth: number,
  /** Number of threads that the row represents. It can be more than 1 even if the row is not a pool: short threads with similar names share a row of the threads table. */
  threads_count: number,
  /** Kind of work. */
  class: ThreadClass,
  /** Process id. Missing if unknown. */
  process_id: number | null,
  /** Operating system thread id. Missing if unknown. */
  thread_id: number | null,
  /** Number of samples of any event. */
  recorded_samples_count: number,
  /** CPU time from the scheduler. The filter is ignored. Missing if not measured. */
  exact_cpu_ns: number | null,
  /** User part of `exact_cpu_ns`. Missing if not measured. */
  exact_user_cpu_ns: number | null,
  /** System part of `exact_cpu_ns`. Missing if not measured. */
  exact_system_cpu_ns: number | null,
  /** The source of the split into user and system time. */
  exact_cpu_split: CpuSplitSource,
  /** Exact time in which the thread could execute but no CPU was free. The filter is ignored. Missing if not measured. */
  run_queue_ns: number | null,
  /** Exact time in which the thread was blocked. The filter is ignored. Missing if not measured. */
  blocked_ns: number | null,
  /** Blocked time by reason. Reasons that did not occur in this thread are left out. */
  blocked_by_reason_ns: { [key in WaitReason]?: number },
  /** When the thread was first seen alive, in nanoseconds since the experiment's start. Missing if unknown. */
  start_ns: number | null,
  /** When the end of the thread was seen, in nanoseconds since the experiment's start. Missing if the thread was alive at the end, or if the time is unknown. */
  end_ns: number | null, } & Values;

/** The answer of [`threads`](threads()). */
export type ThreadsView = {
  /** The columns of `total` and of each row. */
  columns: Array<Column>,
  /** The values of all samples. They are the base of percentages. */
  total: Values,
  /** Number of samples of all threads. It does not depend on the limit. */
  recorded_samples_count: number,
  /** Blocked time of all threads by reason, as counted by the kernel, the largest first. The filter is ignored. */
  blocked_by_reason: Array<ReasonTime>,
  /** Number of threads in all rows, before the limit is applied. Those without samples are also counted. */
  threads_count: number,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** Threads with samples. Without a filter, threads with exact times are also included. */
  rows: Array<ThreadRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** Where the selected time was spent. */
export type TimeBreakdown = {
  /** The metric of `code`: CPU time. If it was not measured, the metric that ranks the top functions. */
  column: Column,
  /** The sum of `code`. */
  total: number,
  /** The cost by owner of the executed code. Owners without cost are left out. */
  code: Array<CodePart>,
  /** The sum of `waits`, in nanoseconds. */
  waits_ns: number,
  /** The waits of all threads by meaning, without those of idle threads, the longest first. Empty if no waits were sampled. */
  waits: Array<WaitPart>,
  /** True if the kernel counted the time of the waits, and the samples only tell what for. Otherwise, the times are from samples. */
  are_waits_counted: boolean,
  /** The time in which threads had no work. */
  idle_ns: number, };

/** A counter over time. */
export type TimelineCounter = {
  /** Name of the counter. */
  name: string,
  /** The counter's unit, from the end of its name. Empty for a plain number. */
  unit: string,
  /** True if the value of a bin is the counter's growth. Otherwise, the value is the mean of the readings in the bin. */
  is_difference: boolean, };

/** The meaning of the numbers of a timeline. */
export type TimelineHeader = {
  /** Start, in nanoseconds since the experiment's start. */
  from_ns: number,
  /** End. */
  to_ns: number,
  /** Length of a bin. */
  bin_ns: number,
  /** Number of bins. */
  bins: number,
  /** The source of the times. */
  source: TimelineSource,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** The rows shown: threads and pools. */
  threads: Array<TimelineThread>,
  /** The states. */
  states: Array<TimelineState>,
  /** What the JVM reported about its pauses, then the counters. */
  counters: Array<TimelineCounter>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** The source of a timeline's times. */
export type TimelineSource = "thread_states" | "samples";

/** A state of a timeline. */
export type TimelineState = {
  /** `user`, `system`, `cpu` (unknown mode), `run_queue`, `preemption`, a waiting reason, `lock`, `wall` or `idle`. */
  name: string, };

/** A row of a timeline: a thread or a pool. */
export type TimelineThread = {
  /** Row of the threads table. For a pool: the row of its first thread, as in the filter `pool is #12`. */
  thread: number,
  /** The name of the thread or the pool. Empty if unknown. */
  name: string,
  /** True if no other thread or pool of the experiment has this name. A filter such as `thread = "main"` or `pool is "exec-#"` then selects only this row. */
  has_own_name: boolean,
  /** True if the row represents a pool. Its values are sums over its threads. */
  is_pool: boolean,
  /** True if the row represents all threads that were idle all the time. */
  is_idle_row: boolean,
  /** True if the row represents a group by process, state or package. Its name is that of the group. */
  is_group: boolean,
  /** Number of rows that this row is a part of: its pool, and its group or the row of idle threads. */
  depth: number,
  /** Number of threads that the row represents. */
  threads_count: number,
  /** Number of rows of the threads table that the row represents. The mean state of a pool is its sum divided by this number. */
  lanes_count: number,
  /** Kind of work. */
  class: ThreadClass,
  /** Process id. Missing if unknown. */
  process_id: number | null,
  /** Operating system thread id. Missing if unknown. */
  thread_id: number | null,
  /** When the thread was first seen alive. Missing if unknown. */
  start_ns: number | null,
  /** When the end of the thread was seen. Missing if the thread was alive at the end, or if the time is unknown. */
  end_ns: number | null,
  /** Time in which the threads executed, in the shown range. */
  cpu_ns: number,
  /** Time in which the threads were blocked, in the shown range. */
  blocked_ns: number, };

/** A transform in answers. */
export type TransformLine = {
  /** The transform in the syntax of transforms. */
  text: string,
  /** The effect of the transform as text. */
  words: string, };

/** One node of the call tree. */
export type TreeRow = {
  /** Number of levels below the root. */
  depth: number,
  /** The function's name as shown. */
  function: string,
  /** Kind of code. */
  kind: FunctionKind, } & Values;

/** The answer of [`tree_rows`](tree_rows()). */
export type TreeRowsView = {
  /** The columns of all rows. */
  columns: Array<Column>,
  /** Whether the tree leads to callees or to callers. */
  direction: Direction,
  /** Number of visible rows before the limit is applied. */
  row_count: number,
  /** The nodes of the hot path, from its beginning. Empty if not requested. */
  hot_path: Array<number>,
  /** True if frames of frameworks are folded. */
  has_folded: boolean,
  /** Position of the hot path's last node among the visible rows. Missing if not requested. */
  hot_row: number | null,
  /** The requested window of the visible rows. Parents come before children. The first visible row is the root. */
  rows: Array<TreeWindowRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** One visible node. */
export type TreeWindowRow = {
  /** Number of the node. */
  node: number,
  /** Number of levels below the root. */
  depth: number,
  /** The function's name as shown. */
  function: string,
  /** Kind of code. */
  kind: FunctionKind,
  /** Number of children. */
  child_count: number,
  /** True if the node's children are visible. */
  is_expanded: boolean, } & Values;

/** A remedy and its places. */
export type Trial = {
  /** The name of the remedy: `buffer-output`. */
  remedy: string,
  /** What the remedy does: `wrapped in a BufferedOutputStream`. */
  title: string,
  /** What a result with the remedy means. */
  promise: RemedyPromise,
  /** What must be true, or what differs, in words. */
  condition: string,
  /** The places that the remedy changes, at least one. */
  places: Array<TrialPlace>, };

/** Whether the fix of a finding can be tried with `whittle try`. */
export type TrialAnswer = { "state": "possible" } & Trial | { "state": "impossible",
/** The reason. The words continue "not tried: ". */
reason: string, };

/** A place that a remedy changes. */
export type TrialPlace = {
  /** The place in words: `FileOutputStream in Slow$CrcOut.<init> (Slow.java:4)`. */
  words: string,
  /** Source file without folders. `None`: unknown. */
  file: string | null,
  /** The line in this file. `None`: unknown. */
  line: number | null,
  /** Whether the place is in a library, and not in the program's own code. */
  is_in_library: boolean, };

/** The result of a trial. */
export type Tried = {
  /** The detector of the finding. */
  detector: string,
  /** The calling method of the finding, as displayed. */
  function: string,
  /** The name of the remedy: `buffer-output`. */
  remedy: string,
  /** What the result means. */
  promise: RemedyPromise,
  /** The result. */
  result: TriedResult,
  /** Candidate ÷ baseline of the first endpoint. `None`: the result has no measured change. */
  ratio: number | null,
  /** Lower end of the ratio's interval. */
  low_ratio: number | null,
  /** Upper end of this interval. */
  high_ratio: number | null,
  /** Number of runs of each side. */
  runs_count: number,
  /** The result in words: `improved, −81 % (95 % interval −83 to −79 %) CPU time per document, 5 runs per side`. */
  words: string,
  /** What a reader of the result must know. */
  notes: Array<string>, };

/** The result of a trial in one word. */
export type TriedResult = "improved" | "worse" | "changed" | "no_relevant_change" | "inconclusive" | "different_results" | "not_exercised" | "not_tried";

/** The result of a trial of several findings together. */
export type TriedTogether = {
  /** The detectors of the findings. */
  detectors: Array<string>,
  /** The result. */
  result: TriedResult,
  /** Candidate ÷ baseline of the first endpoint. `None`: the result has no measured change. */
  ratio: number | null,
  /** Lower end of the ratio's interval. */
  low_ratio: number | null,
  /** Upper end of this interval. */
  high_ratio: number | null,
  /** Number of runs of each side. */
  runs_count: number,
  /** The findings and the result in words. */
  words: string,
  /** What a reader of the result must know. */
  notes: Array<string>, };

/** CPU time that no finding covers. */
export type Unexplained = {
  /** The function as displayed. */
  function: string,
  /** The function's exclusive share of the work threads' CPU time. */
  ratio: number, };

/** The unit of a metric's values. */
export type Unit = "nanoseconds" | "bytes" | "count";

/** Fixed cost or cost per unit of work. */
export type UnitCost = {
  /** The unit: `messages`. */
  unit: string,
  /** CPU time for each unit, nanoseconds, fixed cost included. */
  cpu_ns_per_unit: number,
  /** Whether the cost grows with the work. */
  kind: CostKind,
  /** The fixed part of the cost, 0 to 1. It also exists at zero work. `None`: the work hardly varied. */
  fixed_ratio: number | null,
  /** Lower end of the 95 % interval of `fixed_ratio`. */
  low_ratio: number | null,
  /** Upper end of this interval. */
  high_ratio: number | null, };

/** Completed work, in the program's own unit. */
export type UnitOfWork = {
  /** The unit, for example `documents`. */
  name: string,
  /** The number of units. */
  amount: number,
  /** The source of the number. */
  source: string, };

/** Which frames of a stack are shown. */
export type ViewMode = "user" | "expert" | "machine";

/** Values of some waits. */
export type WaitFigures = {
  /** Time that the threads waited: the kernel's count, distributed by the sampled waits, or an estimate if there is no count. The sum over all threads. */
  duration_ns: number,
  /** Number of sampled waits. */
  samples_count: number,
  /** Number of threads with such waits. A thread without a sampled wait counts as idle if its pool is mostly idle, and otherwise only the kernel's reason is known. */
  threads_count: number, };

/** The waits with a meaning. */
export type WaitPart = {
  /** The meaning, as in the filter `wait is lock`. */
  meaning: string,
  /** What the threads waited for. */
  words: string,
  /** The time, as in the table of waits. */
  duration_ns: number,
  /** The share of `waits_ns`, from 0 to 1. */
  ratio: number, };

/** Why a thread did not execute. */
export type WaitReason = "none" | "futex" | "socket" | "file" | "sleep" | "poll" | "run_queue" | "page_fault" | "preemption" | "other" | "pipe" | "stopped" | "memory_limit" | "quota";

/** Waits with the same meaning. */
export type WaitRow = {
  /** The meaning, as in the filter `wait is lock`. */
  meaning: string,
  /** What the threads waited for. */
  words: string,
  /** The file, or the peer of the socket, that the threads waited for. Empty: none or unknown. */
  file: string,
  /** The share of all waits, without those of idle threads. Missing for idle threads. */
  ratio: number | null,
  /** Time that the threads waited: the kernel's count, distributed by the sampled waits, or an estimate if there is no count. The sum over all threads. */
  duration_ns: number,
  /** Number of sampled waits. */
  samples_count: number,
  /** Number of threads with such waits. A thread without a sampled wait counts as idle if its pool is mostly idle, and otherwise only the kernel's reason is known. */
  threads_count: number, };

/** The answer of [`waits`](waits()). */
export type WaitsView = {
  /** Elapsed time of the experiment. */
  experiment_duration_ns: number,
  /** All selected waits, without those of idle threads. */
  total: WaitFigures,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** The rows. */
  rows: Array<WaitRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** Values of some waits. */
export type WakerFigures = {
  /** Estimated time that the waiters waited. */
  duration_ns: number,
  /** Number of sampled waits. */
  samples_count: number,
  /** The longest sampled wait. Missing if the kernel did not report who ended the waits, and for what wakers did meanwhile. */
  longest_ns: number | null, };

/** What a row is about. */
export type WakerRole = "waiter" | "lock" | "waker" | "holder" | "waits" | "executes" | "runnable";

/** A waiter, a waker, or what a waker did meanwhile. */
export type WakerRow = {
  /** 0 for waiters, 1 for their wakers, and so on. */
  depth: number,
  /** What the row is about. */
  role: WakerRole,
  /** Name of the thread or the pool. Empty: no thread ended the wait, or it is unknown. */
  thread: string,
  /** Who ended the wait. Missing: the row is no waker, or the kernel did not report it. */
  waker_kind: string | null,
  /** The meaning of the wait, as in the filter `wait is lock`. Missing: the row is no wait. */
  meaning: string | null,
  /** The file, or the peer of the socket, that the thread waited for. Empty: none or unknown. */
  file: string,
  /** The lock: its class, or that it is a monitor, and the method of the JDK that takes the monitor. Empty: the row is no lock. */
  lock: string,
  /** The line that waits for the lock. Missing: the row is no lock, or the line is unknown. */
  line: number | null,
  /** The method that waits, ends the wait, or is executed: the deepest method outside the JDK. Missing: unknown. */
  function: string | null,
  /** The row as a sentence. */
  words: string,
  /** The share of the time of all rows of waiters. Missing: there is no such time. */
  ratio: number | null,
  /** Estimated time that the waiters waited. */
  duration_ns: number,
  /** Number of sampled waits. */
  samples_count: number,
  /** The longest sampled wait. Missing if the kernel did not report who ended the waits, and for what wakers did meanwhile. */
  longest_ns: number | null, };

/** The answer of [`wakers`](wakers()) and of [`locks`](crate::locks::locks). */
export type WakersView = {
  /** All selected waits. Of locks, only the waits for locks. Waits of idle threads are left out, unless the filter selects only these. */
  total: WakerFigures,
  /** The share of the waiting time for which the kernel reported who ended the wait. Of locks, the share for which the holder is known. Missing: there are no waits. */
  known_ratio: number | null,
  /** Where the time of the selected threads goes, if each wait for a thread is replaced by what that thread did meanwhile. Empty for locks. */
  critical_path: Array<PathPart>,
  /** Number of rows before the limit is applied. */
  row_count: number,
  /** The rows. Each row is followed by the rows below it. */
  rows: Array<WakerRow>,
  /** The view's name. */
  view: string,
  /** Which frames are shown. */
  mode: ViewMode,
  /** The filter as written. Missing if all samples are selected. */
  filter: string | null,
  /** The transforms, in order. */
  transforms: Array<TransformLine>,
  /** The comparison. Missing if nothing is compared. */
  comparison?: Comparison,
  /** Field name of the sort column. Its largest value comes first. `name` means alphabetical order. */
  sorted_by: string,
  /** Notes, for example about merged overloads or an empty selection. */
  notes: Array<string>, };

/** The threads that do the program's work, after warm-up. */
export type Work = {
  /** Groups of threads with similar names. The group with the most CPU time comes first. */
  groups: Array<ThreadGroup>,
  /** CPU time of these threads in the observed range. Missing if the samples are only counts, as in some files of other profilers. */
  cpu_ns: number | null,
  /** Number of CPU samples. */
  samples_count: number,
  /** Start of the observed range, nanoseconds since the experiment's start: the end of the warm-up. */
  from_ns: number,
  /** End of the observed range. */
  to_ns: number,
  /** How the end of the warm-up was determined, in one sentence. */
  warm_up: string, };

/** The work that the program reported, and how its CPU time depends on the amount of work. */
export type WorkUnits = {
  /** The unit: `messages`. */
  unit: string,
  /** Number of units after the warm-up. */
  units: number,
  /** Whether the work varied enough over time to separate fixed cost from cost per unit. */
  varies: boolean,
  /** Packages of the application, by CPU time, the largest first. */
  packages: Array<PackageCost>, };

/** A step from the root to the zoomed box. */
export type ZoomStep = {
  /** The node. In graphs of callers, the number is valid for this answer only. */
  node: number,
  /** Number of the function. */
  function: number,
  /** The function's name. */
  name: string, };
