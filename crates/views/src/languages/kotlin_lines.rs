//! Gives frames in Kotlin code their true lines, from the class files in the experiment's archive.
//!
//! Profilers record the lines of the class file. For code that the Kotlin compiler inlined, these lines are beyond the end
//! of the source file.

use std::collections::HashMap;
use whittle_bytecode::class_file::ClassFile;
use whittle_model::{Table, Tables};

/// The attribute with the lines of inlined code. Few classes have it.
const SOURCE_MAP: &[u8] = b"SourceDebugExtension";

/// Replaces the lines of inlined code by the lines of the class's source file, and names this file. If a line is
/// unknown, the frame has no line.
pub(super) fn correct(tables: &mut Tables, functions: &HashMap<String, Vec<usize>>) {
    let mut frames: HashMap<u32, Vec<usize>> = HashMap::new();
    for row in 0..tables.archive.len() {
        let Some(functions) = functions.get(tables.archive.class_name[row].as_str()) else { continue };
        let Some(bytes) = tables.archive.bytes[row].as_deref().filter(|bytes| has_source_map(bytes)) else { continue };
        let Some(class) = ClassFile::parse(bytes).ok().filter(|class| class.kotlin_lines.is_some()) else { continue };
        if frames.is_empty() {
            for (row, function) in tables.frames.function.iter().enumerate() {
                frames.entry(function.0).or_default().push(row);
            }
        }
        for function in functions {
            let of_function = frames.get(&(*function as u32)).map_or(&[][..], Vec::as_slice);
            let lines: Vec<Option<u32>> =
                of_function.iter().map(|frame| true_line(&class, tables, (*function, *frame))).collect();
            for (frame, line) in of_function.iter().zip(lines) {
                tables.frames.line[*frame] = line;
            }
            tables.functions.source_file[*function] = class.source_file.as_deref().map(str::to_owned);
        }
    }
}

fn has_source_map(bytes: &[u8]) -> bool {
    bytes.windows(SOURCE_MAP.len()).any(|window| window == SOURCE_MAP)
}

/// The line of a frame: by the bytecode index if it is known, otherwise by the recorded line.
fn true_line(class: &ClassFile<'_>, tables: &Tables, (function, frame): (usize, usize)) -> Option<u32> {
    let recorded = tables.frames.line[frame]?;
    let name = &tables.functions.internal_name[function];
    let (name, descriptor) = name.find('(').map_or((name.as_str(), ""), |at| name.split_at(at));
    let name = name.rsplit_once('.').map_or(name, |(_, name)| name);
    let by_index = tables.frames.bytecode_index[frame].and_then(|index| {
        let code = class.method(name, descriptor)?.code.as_ref()?;
        code.line_at(index).map(u32::from)
    });
    by_index.or_else(|| class.kotlin_lines.as_ref()?.line(recorded)).filter(|line| *line > 0)
}

#[cfg(test)]
mod tests {
    use whittle_model::ArchivedClass;
    use whittle_testkit::experiment_from_text;

    const MAIN: &[u8] = include_bytes!("../../../bytecode/tests/fixtures/kotlin/MainKt.class");

    #[test]
    fn lines_of_inlined_code_are_those_of_the_file() {
        let (_, mut tables) = experiment_from_text(
            "
            own/main/MainKt.main([Ljava/lang/String;)V:39  own/main/MainKt.main([Ljava/lang/String;)V:80  own/main/MainKt.build(I)Ljava/util/List;:47  own/main/MainKt.sumBy(Ljava/util/List;)Ljava/util/Map;:71  app/Other.run()V:80
            ",
        );
        let row = tables.functions.internal_name.iter().position(|name| name.contains("sumBy")).unwrap();
        let sum_by = tables.frames.function.iter().position(|function| function.row() == row).unwrap();
        tables.frames.bytecode_index[sum_by] = Some(315);
        for (name, bytes) in [("own/main/MainKt", MAIN), ("app/Other", &[1, 2][..])] {
            tables.archive.push(ArchivedClass {
                class_name: name.to_owned(),
                origin: String::new(),
                digest: None,
                bytes: Some(bytes.to_vec()),
            });
        }
        crate::languages::correct_lines(&mut tables);
        // A call; an inline function of the same file; one of a library, with the line of its call; code without a line,
        // after the line 15; a class without inlined code.
        assert_eq!(tables.frames.line[1..], [Some(39), Some(27), Some(9), Some(15), Some(80)]);
        let main = tables.frames.function[1].row();
        assert_eq!(tables.functions.source_file[main].as_deref(), Some("Main.kt"));
        tables.validate().expect("valid tables");
    }
}
