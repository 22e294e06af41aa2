use super::*;
use upshot_ir::{CType, CTypeId, Function, Global, IntKind, Local, Location, Member, Parameter};

const CHAR: u32 = 0;
const INT: u32 = 1;
const NODE: u32 = 2;
const NODE_POINTER: u32 = 3;
const STRING: u32 = 4;
const DOUBLE: u32 = 5;
const COLOUR: u32 = 6;
const INTS: u32 = 7;
const CALLBACK: u32 = 8;
const LONG_DOUBLE: u32 = 11;
const INT_POINTER: u32 = 12;
const BOOL: u32 = 13;

fn program() -> Program {
    let int = |name: &str, size, signed, kind| CType::Int { name: name.into(), size, signed, kind };
    let member =
        |name: &str, ty, bit_offset, bit_width| Member { name: name.into(), ty: CTypeId(ty), bit_offset, bit_width };
    let pointer = |target| CType::Pointer { target: CTypeId(target) };
    let types = vec![
        int("char", 1, true, IntKind::Char),
        int("int", 4, true, IntKind::Signed),
        CType::Record {
            name: "node".into(),
            union: false,
            size: 24,
            members: vec![
                member("value", INT, 0, None),
                member("flags", INT, 32, Some(3)),
                member("next", NODE_POINTER, 64, None),
                member("", 14, 128, None),
            ],
        },
        pointer(NODE),
        pointer(CHAR),
        CType::Float { name: "double".into(), size: 8 },
        CType::Enum {
            name: "colour".into(),
            size: 4,
            signed: false,
            values: vec![("RED".into(), 0), ("BLUE".into(), 7)],
        },
        CType::Array { element: CTypeId(INT), count: Some(3) },
        CType::Typedef { name: "callback".into(), target: CTypeId(9) },
        pointer(10),
        CType::Function { result: Some(CTypeId(INT)), parameters: vec![CTypeId(STRING)], variadic: true },
        CType::Float { name: "long double".into(), size: 16 },
        pointer(INT),
        int("_Bool", 1, false, IntKind::Bool),
        CType::Record {
            name: String::new(),
            union: true,
            size: 4,
            members: vec![member("u", INT, 0, None), member("c", CHAR, 0, None)],
        },
    ];
    let parameters = [
        ("p", NODE_POINTER),
        ("s", STRING),
        ("d", DOUBLE),
        ("c", COLOUR),
        ("f", CALLBACK),
        ("l", LONG_DOUBLE),
        ("q", INT_POINTER),
        ("b", BOOL),
    ];
    let parameters = parameters.map(|(name, ty)| Parameter {
        name: name.into(),
        ty: Some(CTypeId(ty)),
        size: 8,
        scalars: vec![],
        by_value: None,
    });
    let mut entry = function("entry");
    entry.parameters = parameters.into();
    let mut main = function("main");
    main.locals = vec![Local {
        name: "a".into(),
        ty: Some(CTypeId(INTS)),
        slot: None,
        alloca: None,
        location: Location::default(),
    }];
    let global = Global {
        name: "total.1".into(),
        source_name: "total".into(),
        location: Location::default(),
        size: 4,
        align: 4,
        is_constant: false,
        is_local: true,
        is_thread_local: false,
        initializer: None,
        ty: Some(CTypeId(INT)),
        is_runtime: false,
    };
    Program {
        functions: vec![entry, main],
        globals: vec![global],
        types: upshot_ir::DebugTypes { types },
        ..Program::default()
    }
}

fn function(name: &str) -> Function {
    Function {
        name: name.into(),
        source_name: name.into(),
        location: Location::default(),
        is_declaration: false,
        is_local: false,
        is_variadic: false,
        no_return: false,
        is_runtime: false,
        parameters: vec![],
        struct_return: None,
        results: vec![],
        return_type: None,
        registers: 0,
        constants: vec![],
        ops: vec![],
        op_inst: vec![],
        blocks: vec![],
        insts: vec![],
        locals: vec![],
    }
}

fn test(objects: &[(&str, &[u8])]) -> Ktest {
    let objects = objects.iter().map(|(name, bytes)| Object { name: name.to_string(), bytes: bytes.to_vec() });
    Ktest { objects: objects.collect(), ..Ktest::default() }
}

/// `path = value` of every value.
fn values(test: &Ktest, entry: Option<&str>) -> Vec<String> {
    let shown = show(test, Some(&program()), entry);
    shown.iter().flat_map(|s| &s.values).map(|v| format!("{} = {}", v.path, v.value)).collect()
}

#[test]
fn values_look_like_c() {
    let mut node = 5i32.to_le_bytes().to_vec();
    node.extend([0b101, 0, 0, 0]);
    node.extend([0; 8]);
    node.extend([0x61, 0, 0, 0]);
    node.extend([0; 4]);
    let three_halves = [0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xbf, 0, 0, 0, 0, 0, 0];
    let pointers: Vec<u8> = [[0u32, 0, 3, 0], [1, 0, 5, 1], [2, 8, 0, 0], [3, 0, u32::MAX, 0]]
        .concat()
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let test = test(&[
        ("p", &[0; 8]),
        ("s", &[0; 8]),
        ("*p", &node),
        ("f", &[0; 8]),
        ("*s", b"a\"b\0\x011"),
        ("d", &1.5f64.to_le_bytes()),
        ("c", &[7, 0, 0, 0]),
        ("l", &three_halves),
        ("*q", &[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
        ("b", &[1]),
        ("total", &[0, 1, 0, 0]),
        ("upshot.pointers", &pointers),
    ]);
    assert_eq!(
        values(&test, Some("entry")),
        [
            "p = -> *p",
            "s = -> *s, 1 bytes in",
            "p->value = 5",
            "p->flags = -3",
            "p->next = NULL",
            "p->u = 97 (0x61)",
            "p->c = 'a' (97)",
            "f = a function",
            "s = \"a\\\"b\\0\\0011\"",
            "d = 1.5",
            "c = BLUE (7)",
            "l = -1.5",
            "q[0] = 1",
            "q[1] = -1 (0xffffffff)",
            "b = true",
            "total = 256 (0x100)",
        ]
    );
}

#[test]
fn a_harness_names_locals() {
    let test = test(&[("a", &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0])]);
    assert_eq!(values(&test, None), ["a[0] = 1", "a[1] = 2", "a[2] = 3"]);
    let shown = show(&test, Some(&program()), None);
    assert_eq!(shown[0].ty.as_deref(), Some("int [3]"));
}

#[test]
fn without_types_the_size_decides() {
    let test = test(&[("a", &[0xfe, 0xff, 0xff, 0xff]), ("b", b"text\0\0"), ("c", &[1, 2, 3]), ("d", &[])]);
    let text = render("t", &show(&test, None, None));
    let expected = "t\n  a = -2 (0xfffffffe)\n    bytes fe ff ff ff\n  b = \"text\\0\\0\"\n    bytes 74 65 78 74 00 00\n  \
                    c (3 bytes)\n    bytes 01 02 03\n  d (0 bytes)\n";
    assert_eq!(text, expected);
    assert_eq!(render("t", &[]), "t\n  no inputs\n");
}

#[test]
fn short_and_odd_objects_are_safe() {
    for size in 0..40 {
        let bytes = vec![0xa5; size];
        let names = [
            "p",
            "s",
            "*p",
            "*s",
            "d",
            "c",
            "l",
            "*q",
            "total",
            "a",
            "*",
            "**p",
            "*p->",
            "*p->next->next",
            "*s[x",
            "*é",
        ];
        for name in names {
            let shown = show(&test(&[(name, &bytes), ("upshot.pointers", &bytes)]), Some(&program()), Some("entry"));
            render("t", &shown);
        }
    }
}

#[test]
fn json_has_the_same() {
    let json =
        serde_json::to_value(show(&test(&[("d", &2f64.to_le_bytes())]), Some(&program()), Some("entry"))).unwrap();
    assert_eq!(json[0]["type"], "double");
    assert_eq!(json[0]["values"][0]["value"], "2.0");
    assert_eq!(json[0]["bytes"], "0000000000000040");
}
