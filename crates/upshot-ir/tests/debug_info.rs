//! What the debug information becomes: C parameters, locals, types, places.

mod workshop;

use upshot_ir::{CType, Function, IntKind, Program, Scalar};
use workshop::{compile, load};

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
    program.function(program.function_named(name).expect("the function is there"))
}

/// `name: type = scalar@offset+…`, for each parameter.
fn parameters(program: &Program, name: &str) -> Vec<String> {
    let describe = |parameter: &upshot_ir::Parameter| {
        let scalars: Vec<String> = parameter.scalars.iter().map(|(at, scalar)| format!("{scalar}@{at}")).collect();
        let ty = parameter.ty.map(|ty| program.types.name(ty)).unwrap_or_else(|| "?".to_string());
        let by_value = if parameter.by_value.is_some() { " byval" } else { "" };
        format!("{}: {ty} = {}{by_value}", parameter.name, scalars.join("+"))
    };
    function(program, name).parameters.iter().map(describe).collect()
}

#[test]
fn parameters_keep_their_c_shape_through_the_calling_convention() {
    let source = r#"
        #include <stdbool.h>
        typedef struct { int a; float b; } A;
        typedef struct { double d; char c; } B;
        typedef struct { float x, y, z; } V3;
        typedef struct { char c[3]; } C3;
        typedef struct { long a, b, c; } Big;
        typedef struct { } Empty;
        typedef struct { _Alignas(16) int x; } Aligned;
        enum color { RED = -1, GREEN };
        int f(A a, B b, V3 v, C3 c, Big big, Empty e, Aligned al, int after) {
            return a.a + b.c + v.x + c.c[1] + big.b + al.x + after;
        }
        int g(__int128 w, long double l, double _Complex z, float _Complex zf, bool q, unsigned char ch, short *s,
              enum color col, int (*fp)(const char *, ...)) {
            return (int)w + (int)l + (int)__real z + q + ch + *s + col;
        }
        Big make(int x, Big b) { b.a = x; return b; }
        int stacked(int a, int b, int c, int d, int e, int f, B on, A too) { return a + f + on.c + too.a; }
        int old(c, f) char c; float f; { return c + f; }
    "#;
    for level in LEVELS {
        let program = load(&compile(source, &[level, "-g"]));
        let f = [
            "a: A = i64@0",
            "b: B = F64@0+i8@8",
            "v: V3 = F32@0+F32@4+F32@8",
            "c: C3 = i24@0",
            "big: Big = ptr@0 byval",
            "e: Empty = ",
            "al: Aligned = i32@0",
            "after: int = i32@0",
        ];
        assert_eq!(parameters(&program, "f"), f, "{level}");
        let g = [
            "w: __int128 = i64@0+i64@8",
            "l: long double = X87@0",
            "z: double _Complex = F64@0+F64@8",
            "zf: float _Complex = F32@0+F32@4",
            "q: _Bool = i1@0",
            "ch: unsigned char = i8@0",
            "s: short * = ptr@0",
            "col: enum color = i32@0",
            "fp: int (*)(const char *, ...) = ptr@0",
        ];
        assert_eq!(parameters(&program, "g"), g, "{level}");
        assert_eq!(parameters(&program, "make"), ["x: int = i32@0", "b: Big = ptr@0 byval"], "{level}");
        assert_eq!(function(&program, "make").struct_return, Some(24));
        assert!(function(&program, "make").results.is_empty());
        let stacked = parameters(&program, "stacked");
        assert_eq!(stacked[6..], ["on: B = ptr@0 byval", "too: A = i64@0"], "{level}");
        // Promoted, since old-style definitions are called without a prototype.
        assert_eq!(parameters(&program, "old"), ["c: ? = i32@0", "f: ? = F64@0"], "{level}");
    }
}

#[test]
fn without_debug_information_parameters_are_numbered() {
    let program = load(&compile("int f(int *p, double d) { return *p + d; }", &["-O0", "-g0"]));
    assert!(!program.has_debug_info);
    assert_eq!(parameters(&program, "f"), ["arg0: ? = ptr@0", "arg1: ? = F64@0"]);
    assert!(!function(&program, "f").location.is_known());
}

#[test]
fn types_tell_signedness_bit_fields_and_enumerators() {
    let source = r#"
        enum color { RED = -1, GREEN = 5 } color;
        enum wide { ALL = 0xffffffff } wide;
        struct node { struct node *next; unsigned tag : 3; signed rest : 5; int m[2][3]; union { int i; char c; }; char end[]; } node;
        unsigned char byte; char letter; _Bool truth; const volatile long number = 4; struct hidden *handle;
    "#;
    let program = load(&compile(source, &["-O0", "-g"]));
    let types = &program.types;
    let of = |name: &str| {
        let global = program.globals.iter().find(|global| global.name == name).expect("the global is there");
        types.get(types.resolve(global.ty.expect("it has a type"))).clone()
    };
    let pairs = |values: &[(&str, i128)]| values.iter().map(|(n, v)| (n.to_string(), *v)).collect::<Vec<_>>();
    let signed = pairs(&[("RED", -1), ("GREEN", 5)]);
    assert_eq!(of("color"), CType::Enum { name: "color".into(), size: 4, signed: true, values: signed });
    let unsigned = pairs(&[("ALL", 0xffff_ffff)]);
    assert_eq!(of("wide"), CType::Enum { name: "wide".into(), size: 4, signed: false, values: unsigned });
    let CType::Record { size, members, .. } = of("node") else { panic!("a struct") };
    assert_eq!(size, 40);
    let shape: Vec<_> = members.iter().map(|m| (m.name.as_str(), m.bit_offset, m.bit_width)).collect();
    let expected = [
        ("next", 0, None),
        ("tag", 64, Some(3)),
        ("rest", 67, Some(5)),
        ("m", 96, None),
        ("", 288, None),
        ("end", 320, None),
    ];
    assert_eq!(shape, expected);
    assert_eq!(types.name(members[3].ty), "int [2][3]");
    assert_eq!(types.size(members[3].ty), 24);
    assert!(matches!(types.get(members[5].ty), CType::Array { count: None, .. }));
    let CType::Pointer { target } = types.get(members[0].ty) else { panic!("a pointer") };
    assert_eq!(types.get(*target), &of("node"), "the type leads back to itself");
    assert!(matches!(of("byte"), CType::Int { signed: false, kind: IntKind::Char, size: 1, .. }));
    assert!(matches!(of("letter"), CType::Int { signed: true, kind: IntKind::Char, .. }));
    assert!(matches!(of("truth"), CType::Int { kind: IntKind::Bool, .. }));
    assert!(matches!(of("number"), CType::Int { signed: true, kind: IntKind::Signed, size: 8, .. }));
    let CType::Pointer { target } = of("handle") else { panic!("a pointer") };
    assert_eq!(types.get(target), &CType::Opaque { name: "hidden".into() });
}

#[test]
fn locals_are_slots_or_objects() {
    let source = "void see(int *);\nint f(int x) {\n  int kept = x;\n  int seen = 1;\n  see(&seen);\n  return kept;\n}";
    let program = load(&compile(source, &["-O0", "-g"]));
    let f = function(&program, "f");
    let local = |name: &str| f.locals.iter().find(|local| local.name == name).expect("the local is there");
    assert!(local("x").slot.is_some() && local("kept").slot.is_some() && local("kept").alloca.is_none());
    let made_by = local("seen").alloca.expect("it is in memory");
    assert_eq!(f.insts[made_by.index()].opcode, "alloca");
    assert!(local("seen").slot.is_none());
    assert_eq!(local("seen").location.line, 4);
    assert_eq!(program.types.name(local("seen").ty.unwrap()), "int");
    assert_eq!(f.location.line, 2);
    assert!(program.describe(f.location).ends_with("test.c:2"));
    assert_eq!(program.types.name(f.return_type.unwrap()), "int");
}

#[test]
fn inlined_code_knows_where_it_was_inlined() {
    let source = "int total;\nstatic inline int twice(int x) {\n  total += x;\n  return 2 * x;\n}\nint f(int y) {\n  return twice(y) + 1;\n}\n";
    let program = load(&compile(source, &["-O2", "-g"]));
    let f = function(&program, "f");
    let store = f.insts.iter().find(|inst| inst.opcode == "store").expect("total is written");
    assert_eq!(store.location.line, 3);
    assert_eq!(store.inlined_function.as_deref(), Some("twice"));
    let [outer] = &*store.inlined_at else { panic!("inlined once") };
    assert_eq!((&*outer.function, outer.location.line), ("f", 7));
}

#[test]
fn linkage_and_names_come_along() {
    let source = "static int count(void) { static int n = 3; return n++; }\nint f(void) { return count(); }\nvoid die(void) __attribute__((noreturn));\nint g(int n, ...) { if (n) die(); return 0; }";
    let program = load(&compile(source, &["-O0", "-g"]));
    assert!(function(&program, "count").is_local && !function(&program, "f").is_local);
    assert!(function(&program, "g").is_variadic);
    let die = program.functions.iter().find(|function| function.name == "die").unwrap();
    assert!(die.is_declaration && die.no_return && die.blocks.is_empty());
    let n = program.globals.iter().find(|global| global.name == "count.n").unwrap();
    assert_eq!(n.source_name, "n");
    assert!(n.is_local && !n.is_constant && n.location.line == 1);
    assert_eq!(n.initializer.as_ref().unwrap().bytes, [3, 0, 0, 0]);
}

#[test]
fn the_runtime_is_told_from_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = folder.path().join("upshot-runtime");
    std::fs::create_dir(&runtime).unwrap();
    let path = runtime.join("string.c");
    std::fs::write(&path, "int shared; int helper(void) { static int n; return n++; }").unwrap();
    let program = load(&workshop::compile_file(&path, &["-O0", "-g"]));
    assert!(function(&program, "helper").is_runtime);
    assert!(program.globals.iter().all(|global| global.is_runtime));
    let program = load(&compile("int shared; int helper(void) { return shared; }", &["-O0", "-g"]));
    assert!(!function(&program, "helper").is_runtime && !program.globals[0].is_runtime);
}

#[test]
fn initializers_have_all_their_bytes() {
    let source = r#"
        struct s { char c; short h; int *p; long double l; double d[2]; } x = {'a', 258, (int *)&x + 1, 1.0L, {0, -2}};
        unsigned _BitInt(200) wide = (unsigned _BitInt(200))0x0123 << 176 | 7;
        int (*f)(void); int g(void) { return 0; } int (*fs[2])(void) = {g};
    "#;
    let program = load(&compile(source, &["-O0"]));
    let of = |name: &str| {
        program.globals.iter().find(|global| global.name == name).unwrap().initializer.clone().expect("it has one")
    };
    let x = of("x");
    let mut expected = vec![0u8; 48];
    expected[0] = b'a';
    expected[2..4].copy_from_slice(&258u16.to_le_bytes());
    expected[16..26].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]);
    expected[40..48].copy_from_slice(&(-2f64).to_bits().to_le_bytes());
    assert_eq!(x.bytes, expected);
    let [(8, 64, upshot_ir::Const::Global { offset: 4, .. })] = &x.relocations[..] else {
        panic!("one address: {:?}", x.relocations)
    };
    assert_eq!(of("wide").bytes[..25], {
        let mut bytes = [0u8; 25];
        bytes[0] = 7;
        bytes[22..24].copy_from_slice(&0x0123u16.to_le_bytes());
        bytes
    });
    assert!(matches!(of("fs").relocations[..], [(0, 64, upshot_ir::Const::Function(_))]));
    assert_eq!(Scalar::Pointer.width(), 64);
}

#[test]
fn a_struct_of_a_shared_header_is_one_type() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("node.h", "struct node { struct node *next; int value; };");
    write("a.c", "#include \"node.h\"\nstruct node a; struct local { int x; } la;");
    write("b.c", "#include \"node.h\"\nstruct node b; struct local { int x; } lb;");
    for name in ["a", "b"] {
        let bitcode = workshop::compile_file(&folder.path().join(format!("{name}.c")), &["-O0", "-g"]);
        std::fs::write(folder.path().join(format!("{name}.bc")), bitcode).unwrap();
    }
    let path = |name: &str| folder.path().join(name);
    let link = std::process::Command::new("/usr/lib/llvm-19/bin/llvm-link")
        .args([path("a.bc"), path("b.bc"), "-o".into(), path("all.bc")])
        .status()
        .expect("llvm-link runs");
    assert!(link.success());
    let program = load(&std::fs::read(path("all.bc")).unwrap());
    let ty = |name: &str| program.globals.iter().find(|global| global.name == name).unwrap().ty;
    assert_eq!(ty("a"), ty("b"));
    assert_ne!(ty("la"), ty("lb"));
}
