' Run inside of the office program: takes documents one by one from whoever listens at PIPE, until that hangs up.
' A question is a line "from-URL TAB to-URL", the answer a line "done", "unreadable" or "failed".
Option Explicit
Private oConnection As Object

Sub Serve
  Dim sLine As String, vUrls As Variant
  oConnection = createUnoService("com.sun.star.connection.Connector").connect("pipe,name=%PIPE%")
  Answer("%TOKEN%")
  Do
    sLine = NextLine()
    If sLine = "" Then Exit Do
    vUrls = Split(sLine, Chr(9))
    Answer(Convert(vUrls(0), vUrls(1)))
  Loop
  StarDesktop.terminate()
End Sub

Function Convert(sFrom As String, sTo As String) As String
  Dim oDocument As Object
  On Error GoTo Failed
  ' The filter is named, so that no other kind of file is read under a DOCX's name; macros and updates never run.
  ' Not as ReadOnly: closing a document with comments that was opened so brings the program down (7.4).
  oDocument = StarDesktop.loadComponentFromURL(sFrom, "_blank", 0, Array( _
    Named("Hidden", True), Named("FilterName", "MS Word 2007 XML"), Named("MacroExecutionMode", 0), Named("UpdateDocMode", 0)))
  If IsNull(oDocument) Then
    Convert = "unreadable"
    Exit Function
  End If
  oDocument.storeToURL(sTo, Array(Named("FilterName", "writer_pdf_Export")))
  oDocument.close(True)
  Convert = "done"
  Exit Function
Failed:
  If IsNull(oDocument) Then
    Convert = "unreadable"
  Else
    Convert = "failed"
    On Error Resume Next
    oDocument.close(True)
  End If
End Function

Function Named(sName As String, vValue As Variant) As Object
  Dim oProperty As New com.sun.star.beans.PropertyValue
  oProperty.Name = sName
  oProperty.Value = vValue
  Named = oProperty
End Function

Function NextLine() As String
  Dim vBytes() As Byte, sLine As String
  Do
    If oConnection.read(vBytes, 1) < 1 Then Exit Do
    If vBytes(0) = 10 Then Exit Do
    sLine = sLine & Chr(vBytes(0))
  Loop
  NextLine = sLine
End Function

Sub Answer(sText As String)
  Dim vBytes() As Byte, i As Long
  ReDim vBytes(Len(sText)) As Byte
  For i = 1 To Len(sText)
    vBytes(i - 1) = Asc(Mid(sText, i, 1))
  Next
  vBytes(Len(sText)) = 10
  oConnection.write(vBytes)
  oConnection.flush()
End Sub
