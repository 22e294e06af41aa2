//! A difference as a C file with a `main` of its own: it includes one of the two versions, sets the input up, calls the function and prints what came of it.

use std::fmt::Write;
use std::path::PathBuf;

use upshot_explore::{Target, Test};
use upshot_ir::{CType, FuncId, Program};

/// What a test is made for.
pub struct Case<'a> {
    /// Old and new, as they run: partners among parameters have one name.
    pub programs: [&'a Program; 2],
    pub entries: [FuncId; 2],
    /// The C files, and what clang is to be given.
    pub files: [PathBuf; 2],
    pub flags: &'a [String],
}

/// The file, or `None` where the input cannot be set up from C: results of unknown functions, static locals, function pointers.
pub fn render(case: &Case<'_>, test: &Test, told: &str) -> Option<String> {
    let parameters = |side: usize| &case.programs[side].function(case.entries[side]).parameters;
    let is_parameter = |name: &str| (0..2).any(|side| parameters(side).iter().any(|parameter| parameter.name == name));
    let mut globals = Vec::new();
    for (number, object) in test.objects.iter().enumerate() {
        let name = object.name.as_str();
        if name.contains("()#") {
            return None;
        }
        if is_parameter(name) || name.starts_with('*') {
            continue;
        }
        // A static local is called after its function: no other function can name it.
        let is_global =
            |global: &upshot_ir::Global| global.source_name == name && global.name.split('.').next() == Some(name);
        if !case.programs.iter().all(|program| program.globals.iter().any(is_global)) {
            return None;
        }
        globals.push((number, name));
    }
    let mut body = String::new();
    for (number, object) in test.objects.iter().enumerate() {
        let bytes: Vec<String> = object.bytes.iter().map(u8::to_string).collect();
        let _ = writeln!(
            body,
            "  static const unsigned char bytes{number}[] = {{{}}}; /* {} */",
            bytes.join(", "),
            object.name
        );
        let _ = writeln!(
            body,
            "  object[{number}] = memcpy(malloc(sizeof bytes{number}), bytes{number}, sizeof bytes{number});"
        );
    }
    for pointer in &test.pointers {
        let target = match pointer.target {
            Target::Null => continue,
            Target::Object(index) => index,
            Target::Function => return None,
        };
        let _ = writeln!(
            body,
            "  memcpy(object[{}] + {}, &object[{target}], sizeof object[{target}]);",
            pointer.object, pointer.offset
        );
    }
    for (number, name) in &globals {
        let _ = writeln!(body, "  memcpy((void *)&{name}, object[{number}], sizeof bytes{number});");
    }
    let _ = writeln!(body, "#ifdef OLD\n{}#else\n{}#endif", call(case, test, 0)?, call(case, test, 1)?);
    for (number, object) in test.objects.iter().enumerate().filter(|(_, object)| object.name.starts_with('*')) {
        let _ = writeln!(body, "  show({:?}, object[{number}], sizeof bytes{number});", object.name);
    }
    for (_, name) in &globals {
        let _ = writeln!(body, "  show({name:?}, (const unsigned char *)&{name}, sizeof {name});");
    }
    let count = test.objects.len().max(1);
    let [old, new] = &case.files;
    let flags = case.flags.join(" ");
    let told = told.replace("*/", "* /");
    Some(format!(
        "/* {told}\n * The new version: clang -w -fwrapv -ffunction-sections -Wl,--gc-sections {flags} THIS_FILE && ./a.out\n * The old version: clang -w -fwrapv -ffunction-sections -Wl,--gc-sections {flags} -DOLD THIS_FILE && ./a.out\n \
         * An error in memory may need -fsanitize=address,undefined to show. */\n\
         #define main program_main\n#ifdef OLD\n#include {old:?}\n#else\n#include {new:?}\n#endif\n#undef main\n\
         #include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n\
         static unsigned char *object[{count}];\n\n\
         static void show(const char *name, const unsigned char *bytes, unsigned long size) {{\n  printf(\"%s:\", name);\n  \
         for (unsigned long i = 0; i < size; i++) printf(\" %02x\", bytes[i]);\n  printf(\"\\n\");\n}}\n\n\
         int main(void) {{\n{body}  return 0;\n}}\n"
    ))
}

/// The call in one version, and its result printed.
fn call(case: &Case<'_>, test: &Test, side: usize) -> Option<String> {
    let program = case.programs[side];
    let function = program.function(case.entries[side]);
    let mut arguments = Vec::new();
    for parameter in &function.parameters {
        let number = test.objects.iter().position(|object| object.name == parameter.name)?;
        arguments.push(format!("*({})object[{number}]", pointer_to(program, parameter.ty?)));
    }
    let call = format!("{}({})", function.source_name, arguments.join(", "));
    let returned = function.return_type.map(|ty| program.types.get(program.types.resolve(ty)));
    Some(match returned {
        None | Some(CType::Void) => format!("  {call};\n"),
        Some(CType::Int { .. } | CType::Enum { .. }) => format!("  printf(\"result: %lld\\n\", (long long){call});\n"),
        Some(CType::Float { .. }) => format!("  printf(\"result: %La\\n\", (long double){call});\n"),
        Some(CType::Pointer { .. }) => format!("  printf(\"result: %s\\n\", {call} ? \"not null\" : \"null\");\n"),
        Some(_) => {
            let name = program.types.name(function.return_type?);
            format!("  {name} result = {call};\n  show(\"result\", (const unsigned char *)&result, sizeof result);\n")
        }
    })
}

/// The type of a pointer to this one, in C.
fn pointer_to(program: &Program, ty: upshot_ir::CTypeId) -> String {
    format!("__typeof__({}) *", program.types.name(ty))
}
