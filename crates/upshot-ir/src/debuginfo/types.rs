//! C types out of debug metadata.
//!
//! Structure comes from the nodes' operands, whose positions are those of LLVM 19. Two things have no accessor in the C API,
//! the encoding of a basic type and the value of an enumerator: they are read from the node's text.

use super::fields::field;
use crate::capi::{Metadata, MetadataKind, Module};
use crate::debug::{CType, CTypeId, DebugTypes, IntKind, Member};
use rustc_hash::FxHashMap;

const ARRAY: u16 = 0x01;
const ENUMERATION: u16 = 0x04;
const POINTER: u16 = 0x0f;
const STRUCTURE: u16 = 0x13;
const TYPEDEF: u16 = 0x16;
const UNION: u16 = 0x17;
const CONST: u16 = 0x26;
const VOLATILE: u16 = 0x35;
const RESTRICT: u16 = 0x37;
const ATOMIC: u16 = 0x47;

const FLAG_FORWARD: i32 = 1 << 2;
const FLAG_BIT_FIELD: i32 = 1 << 19;

/// What makes two nodes the same type: tag, name, size, and the place of the definition. Every compiled file has
/// nodes of its own for the structs of a shared header.
type Definition = (u16, String, u64, (String, String), u32);

/// The types met so far.
pub(crate) struct Types<'m> {
    module: &'m Module,
    table: DebugTypes,
    ids: FxHashMap<Metadata<'m>, CTypeId>,
    definitions: FxHashMap<Definition, CTypeId>,
    pending: Vec<(Metadata<'m>, CTypeId)>,
    void: Option<CTypeId>,
}

impl<'m> Types<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Types {
            module,
            table: DebugTypes::default(),
            ids: FxHashMap::default(),
            definitions: FxHashMap::default(),
            pending: Vec::new(),
            void: None,
        }
    }

    fn push(&mut self, ty: CType) -> CTypeId {
        self.table.types.push(ty);
        CTypeId(self.table.types.len() as u32 - 1)
    }

    /// The id of a type; no node at all means `void`.
    pub(crate) fn id(&mut self, node: Option<Metadata<'m>>) -> CTypeId {
        let id = self.reserve(node);
        // Not by recursion: through pointers a type may lead to every other type of the program.
        while let Some((node, id)) = self.pending.pop() {
            let ty = self.read(node);
            self.table.types[id.0 as usize] = ty;
        }
        id
    }

    /// The id of a type that is read later.
    fn reserve(&mut self, node: Option<Metadata<'m>>) -> CTypeId {
        let Some(node) = node else {
            let void = match self.void {
                Some(id) => id,
                None => self.push(CType::Void),
            };
            self.void = Some(void);
            return void;
        };
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let definition = definition(node);
        if let Some(&id) = definition.as_ref().and_then(|definition| self.definitions.get(definition)) {
            self.ids.insert(node, id);
            return id;
        }
        let id = self.push(CType::Opaque { name: node.type_name() });
        self.ids.insert(node, id);
        self.definitions.extend(definition.map(|definition| (definition, id)));
        self.pending.push((node, id));
        id
    }

    /// Size in bytes; 0 where unknown.
    pub(crate) fn size(&self, id: CTypeId) -> u64 {
        self.table.size(id)
    }

    /// The type behind typedefs and qualifiers.
    pub(crate) fn resolved(&self, id: CTypeId) -> &CType {
        self.table.get(self.table.resolve(id))
    }

    /// All types. A typedef or array of itself, which only damaged debug information has, becomes opaque.
    pub(super) fn finish(mut self) -> DebugTypes {
        let types = &mut self.table.types;
        let mut sound = vec![false; types.len()];
        for start in 0..types.len() {
            let mut chain = vec![start];
            while let Some(&at) = chain.last()
                && !sound[at]
            {
                let next = match &types[at] {
                    CType::Typedef { target, .. } | CType::Qualified { target, .. } => target.0 as usize,
                    CType::Array { element, .. } => element.0 as usize,
                    _ => break,
                };
                if chain.contains(&next) {
                    types[at] = CType::Opaque { name: String::new() };
                    break;
                }
                chain.push(next);
            }
            chain.into_iter().for_each(|at| sound[at] = true);
        }
        self.table
    }

    fn read(&mut self, node: Metadata<'m>) -> CType {
        let operands = node.operands(self.module);
        let operand = |position: usize| operands.get(position).copied().flatten();
        let name = node.type_name();
        match node.kind() {
            MetadataKind::LLVMDIBasicTypeMetadataKind => self.basic(node, name),
            MetadataKind::LLVMDIDerivedTypeMetadataKind => {
                let target = self.reserve(operand(3));
                match node.tag() {
                    POINTER => CType::Pointer { target },
                    TYPEDEF => CType::Typedef { name, target },
                    CONST => CType::Qualified { qualifier: "const", target },
                    VOLATILE => CType::Qualified { qualifier: "volatile", target },
                    RESTRICT => CType::Qualified { qualifier: "restrict", target },
                    ATOMIC => CType::Qualified { qualifier: "_Atomic", target },
                    _ => CType::Opaque { name },
                }
            }
            MetadataKind::LLVMDICompositeTypeMetadataKind => {
                let elements = operand(4).map(|list| list.operands(self.module)).unwrap_or_default();
                let elements = elements.into_iter().flatten().collect();
                self.composite(node, name, operand(3), elements)
            }
            MetadataKind::LLVMDISubroutineTypeMetadataKind => {
                let (result, parameters, variadic) = self.signature(node);
                let parameters = parameters.into_iter().map(|parameter| self.reserve(Some(parameter))).collect();
                CType::Function { result: Some(self.reserve(result)), parameters, variadic }
            }
            _ => CType::Opaque { name },
        }
    }

    /// Result (none for void), parameters, and whether more may follow.
    pub(super) fn signature(&self, subroutine: Metadata<'m>) -> (Option<Metadata<'m>>, Vec<Metadata<'m>>, bool) {
        let list = subroutine.operands(self.module).get(3).copied().flatten();
        let list = list.map(|list| list.operands(self.module)).unwrap_or_default();
        let result = list.first().copied().flatten();
        let parameters: Vec<_> = list.iter().skip(1).copied().collect();
        let variadic = parameters.last().is_some_and(Option::is_none);
        (result, parameters.into_iter().flatten().collect(), variadic)
    }

    fn basic(&mut self, node: Metadata<'m>, name: String) -> CType {
        let text = node.describe(self.module);
        let size = node.type_bits().div_ceil(8) as u32;
        let int = |name, signed, kind| CType::Int { name, size, signed, kind };
        match field(&text, "encoding").unwrap_or_default() {
            "DW_ATE_float" => CType::Float { name, size },
            "DW_ATE_complex_float" => self.complex(name, size),
            "DW_ATE_boolean" => int(name, false, IntKind::Bool),
            "DW_ATE_signed_char" => int(name, true, IntKind::Char),
            "DW_ATE_unsigned_char" => int(name, false, IntKind::Char),
            "DW_ATE_signed" => int(name, true, IntKind::Signed),
            _ if size == 0 => CType::Opaque { name },
            _ => int(name, false, IntKind::Unsigned),
        }
    }

    /// A complex number is laid out as a struct of two floats.
    fn complex(&mut self, name: String, size: u32) -> CType {
        let part = match size {
            8 => "float",
            16 => "double",
            _ => "long double",
        };
        let half = size / 2;
        let ty = self.push(CType::Float { name: part.to_string(), size: half });
        let member = |name: &str, offset: u32| Member {
            name: name.to_string(),
            ty,
            bit_offset: u64::from(offset) * 8,
            bit_width: None,
        };
        let members = vec![member("real", 0), member("imag", half)];
        let target = self.push(CType::Record { name, union: false, size: u64::from(size), members });
        CType::Typedef { name: format!("{part} _Complex"), target }
    }

    fn composite(
        &mut self,
        node: Metadata<'m>,
        name: String,
        base: Option<Metadata<'m>>,
        elements: Vec<Metadata<'m>>,
    ) -> CType {
        let size = node.type_bits() / 8;
        match node.tag() {
            STRUCTURE | UNION if node.type_flags() & FLAG_FORWARD == 0 => CType::Record {
                name,
                union: node.tag() == UNION,
                size,
                members: elements.into_iter().map(|element| self.member(element)).collect(),
            },
            ARRAY => self.array(base, &elements),
            ENUMERATION => {
                let values: Vec<_> = elements.iter().filter_map(|element| self.enumerator(*element)).collect();
                let signed = match base {
                    Some(base) => self.is_signed(base),
                    None => values.iter().any(|(_, value)| *value < 0),
                };
                CType::Enum { name, size: size as u32, signed, values }
            }
            _ => CType::Opaque { name },
        }
    }

    /// Whether the integer type behind typedefs and qualifiers is signed.
    fn is_signed(&self, mut node: Metadata<'m>) -> bool {
        for _ in 0..self.table.types.len() + 1 {
            if !matches!(node.kind(), MetadataKind::LLVMDIDerivedTypeMetadataKind) {
                break;
            }
            match node.operands(self.module).get(3).copied().flatten() {
                Some(base) => node = base,
                None => return false,
            }
        }
        matches!(field(&node.describe(self.module), "encoding"), Some("DW_ATE_signed" | "DW_ATE_signed_char"))
    }

    fn member(&mut self, node: Metadata<'m>) -> Member {
        let base = node.operands(self.module).get(3).copied().flatten();
        let bit_field = node.type_flags() & FLAG_BIT_FIELD != 0;
        Member {
            name: node.type_name(),
            ty: self.reserve(base),
            bit_offset: node.type_offset_bits(),
            bit_width: bit_field.then(|| node.type_bits() as u32),
        }
    }

    /// `int a[2][3]` has the element type and two ranges: the last one is the innermost array.
    fn array(&mut self, base: Option<Metadata<'m>>, ranges: &[Metadata<'m>]) -> CType {
        let mut element = self.reserve(base);
        let counts: Vec<Option<u64>> = ranges.iter().map(|range| self.count(*range)).collect();
        let Some((first, inner)) = counts.split_first() else { return CType::Array { element, count: None } };
        for count in inner.iter().rev() {
            element = self.push(CType::Array { element, count: *count });
        }
        CType::Array { element, count: *first }
    }

    /// How many elements; `None` for a flexible array (-1) or one whose length is a variable.
    fn count(&self, range: Metadata<'m>) -> Option<u64> {
        let count = range.operands(self.module).first().copied().flatten()?.wrapped_value(self.module)?.integer()?;
        (count < 1 << 63).then_some(count as u64)
    }

    fn enumerator(&self, node: Metadata<'m>) -> Option<(String, i128)> {
        if !matches!(node.kind(), MetadataKind::LLVMDIEnumeratorMetadataKind) {
            return None;
        }
        let name = node.operands(self.module).first().copied().flatten()?.string(self.module)?;
        let text = node.describe(self.module);
        Some((name, field(&text, "value")?.parse().ok()?))
    }
}

/// The identity of a struct, union or enum with a tag; `None` for any other type.
fn definition(node: Metadata<'_>) -> Option<Definition> {
    if !matches!(node.kind(), MetadataKind::LLVMDICompositeTypeMetadataKind) {
        return None;
    }
    let name = node.type_name();
    let file = node.scope_file().and_then(Metadata::file_name)?;
    let defined = !name.is_empty() && node.type_flags() & FLAG_FORWARD == 0;
    defined.then(|| (node.tag(), name, node.type_bits(), file, node.type_line()))
}
